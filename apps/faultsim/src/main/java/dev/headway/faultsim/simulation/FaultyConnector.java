package dev.headway.faultsim.simulation;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TransferReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connector that has the KV of some prompts, with its faults: it does not know yet, is late,
 * loads a part, or never says that it has ended. A load writes to its blocks whenever it likes,
 * until it is reported. What is loaded within a step the executor loads, see {@link ModelExecutor}.
 */
final class FaultyConnector implements KvConnector {

  /** A load between steps, or blocks kept to be sent. */
  private static final class Transfer {
    private final long number;
    private final ContentMemory.Tables tables = new ContentMemory.Tables();
    private @Nullable Turn turn;
    private int from;
    private int to;
    private int stepsLeft;
    private boolean fails;
    private boolean isLost;

    Transfer(long number) {
      this.number = number;
    }
  }

  private final World world;
  private final long seed;
  private final ContentMemory memory;
  private final KvRole role;
  private final boolean isUndecided;
  private final boolean failsLoads;
  private final boolean losesLoads;
  private final Dice dice = new Dice();
  private final Dice ofRequest = new Dice();
  private final TransferReport report = new TransferReport();
  private final Map<Long, Integer> localTokens = new HashMap<>();
  private final List<Transfer> loads = new ArrayList<>();
  private final List<Transfer> sends = new ArrayList<>();
  private @Nullable TransferSink sink;
  private long calls;
  private int closes;

  FaultyConnector(World world, long seed, Drawn drawn, ContentMemory memory) {
    this.world = world;
    this.seed = seed;
    this.memory = memory;
    role = dice.start(seed, "role", 0).pick(KvRole.values());
    isUndecided = dice.start(seed, "undecided", 0).oneIn(2);
    failsLoads = drawn.has(Feature.FAILED_LOADS);
    losesLoads = drawn.has(Feature.LOST_LOADS);
  }

  @Override
  public KvRole role() {
    return role;
  }

  @Override
  public void start(TransferSink given) {
    sink = given;
  }

  @Override
  public void lookup(RequestView request, int local, ExternalTokens answer) {
    dice.start(seed, "lookup", ++calls);
    if (isUndecided && world.injectsFaults() && dice.oneIn(4)) {
      answer.askAgain();
      world.disturbed();
      return;
    }
    final boolean ahead = isAhead(request.number());
    final int most = request.knownTokens() - local - (ahead ? 0 : 1);
    localTokens.put(request.number(), local);
    if (!role.loads() || most <= 0 || ofRequest.start(seed, "has", request.number()).oneIn(3)) {
      answer.none();
    } else if (ahead) {
      answer.ahead(1 + dice.below(most));
    } else {
      answer.inStep(1 + dice.below(most));
    }
  }

  private boolean isAhead(long number) {
    return ofRequest.start(seed, "ahead", number).oneIn(2);
  }

  @Override
  public void admitted(RequestView request, KvSequence blocks, int externalTokens) {
    final Integer local = localTokens.remove(request.number());
    if (externalTokens == 0 || local == null || !isAhead(request.number())) {
      return;
    }
    final Transfer load = new Transfer(request.number());
    load.turn = world.ledger().byNumber(request.number()).turn();
    load.tables.copy(blocks, memory.blockSizes());
    load.from = local;
    load.to = local + externalTokens;
    dice.start(seed, "load", ++calls);
    load.stepsLeft = dice.below(6);
    load.fails = failsLoads && world.injectsFaults() && dice.oneIn(3);
    load.isLost = losesLoads && world.injectsFaults() && dice.oneIn(4);
    if (load.isLost) {
      world.faultHappened(Feature.LOST_LOADS);
    }
    memory.spoil(load.tables, load.from, load.to, load.from);
    loads.add(load);
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
    localTokens.remove(request.number());
    if (reason == FinishReason.EXECUTOR_FAILED) {
      world
          .rules()
          .require(
              computedTokens == 0,
              Rule.TOKENS,
              "of a request whose step failed nothing is sure: computedTokens=" + computedTokens);
      return BlockRelease.WHEN_SENT; // which is ignored
    }
    if (!role.sends() || isLoading(request.number())) {
      return BlockRelease.NOW;
    }
    dice.start(seed, "send", request.number());
    if (dice.oneIn(2)) {
      return BlockRelease.NOW;
    }
    final Transfer send = new Transfer(request.number());
    send.stepsLeft = dice.below(6);
    sends.add(send);
    return BlockRelease.WHEN_SENT;
  }

  private boolean isLoading(long number) {
    return loads.stream().anyMatch(load -> load.number == number);
  }

  @Override
  public boolean cancelLoad(RequestView request) {
    final boolean cancels = ofRequest.start(seed, "cancel", request.number()).oneIn(2);
    return cancels && loads.removeIf(load -> load.number == request.number());
  }

  /** Between two steps some transfers end. */
  void passTime() {
    report.clear();
    final boolean isBusy = !loads.isEmpty() || !sends.isEmpty();
    for (int i = loads.size() - 1; i >= 0; i--) {
      final Transfer load = loads.get(i);
      final boolean waits = load.isLost && world.injectsFaults();
      if (!waits && load.stepsLeft-- <= 0) {
        loads.remove(i);
        end(load);
      } else {
        memory.spoil(load.tables, load.from, load.to, load.from); // it writes
      }
    }
    for (int i = sends.size() - 1; i >= 0; i--) {
      if (sends.get(i).stepsLeft-- <= 0) {
        report.sent(sends.remove(i).number);
      }
    }
    if (isBusy || !report.isEmpty()) {
      world.disturbed(); // blocks are held, or requests wait, for what others do
    }
    if (sink != null && !report.isEmpty()) {
      sink.report(report);
    }
  }

  private void end(Transfer load) {
    final Turn turn = load.turn;
    if (turn != null) {
      memory.fill(load.tables, turn.truth, world.generation(), load.from, load.to);
    }
    if (load.fails) {
      world.faultHappened(Feature.FAILED_LOADS);
      spoilFrom(load.tables, load.from, load.to, report);
    }
    report.received(load.number);
  }

  /** What is behind some token has not come; says in which blocks. */
  private void spoilFrom(ContentMemory.Tables tables, int from, int to, TransferReport reported) {
    dice.start(seed, "bad", ++calls);
    spoilFrom(memory, tables, from + dice.below(to - from), to, reported);
  }

  /** As the other. */
  static void spoilFrom(
      ContentMemory memory, ContentMemory.Tables tables, int bad, int to, TransferReport reported) {
    memory.spoil(tables, bad, to, bad);
    for (int group = 0; group < tables.blocks.length; group++) {
      final int size = memory.blockSizes()[group];
      for (int at = bad / size; at < Math.min(tables.counts[group], (to + size - 1) / size); at++) {
        if (tables.blocks[group][at] != 0) {
          reported.invalid(tables.blocks[group][at]);
        }
      }
    }
  }

  /** Whether transfers are out: what they read or write is kept for them when requests end. */
  boolean isTransferring() {
    return !sends.isEmpty() || !loads.isEmpty();
  }

  /** How often it was closed. */
  int closes() {
    return closes;
  }

  @Override
  public void close() {
    closes++;
  }
}
