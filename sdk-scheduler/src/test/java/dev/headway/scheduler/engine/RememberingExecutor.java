package dev.headway.scheduler.engine;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.BlockOperations;
import dev.headway.api.step.BlockPairs;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.engine.RememberedKv.Tables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Writes into each slot of its blocks which token behind which others it stands for, moves blocks
 * as plans say. The next token is a function of all before it; an entry that does not find what it
 * builds on answers a wrong one and leaves rubbish behind. A step that fails leaves rubbish
 * wherever it was to write or to move. Any mix of groups of layers.
 */
final class RememberingExecutor implements Executor {

  private static final int VOCABULARY = 50;

  /** What an entry needs when its step's turn comes. */
  private record Entry(Tables tables, int from, int to, boolean samples) {}

  /** A step that is out; pairs of blocks are a source and a target in turn. */
  private record Step(
      long id, List<Entry> entries, int[] saves, int[] loads, int[] zeroed, int[] copies) {}

  private final ExecutorShape shape;
  private final Random random;
  private final int oneIn;
  private final RememberedKv kv;
  private final Map<Request, long[]> truths = new IdentityHashMap<>(); // one for each turn
  private final Deque<Step> out = new ArrayDeque<>();
  final List<String> violations = new ArrayList<>();
  int saves;
  int loads;
  int failures;
  int unsoundEntries;
  int emptyStepsWithTransfers;

  /**
   * Makes an executor.
   *
   * @param oneIn one step in so many fails in each of four ways; 0 for none
   */
  RememberingExecutor(ExecutorShape shape, Random random, int oneIn) {
    this.shape = shape;
    this.random = random;
    this.oneIn = oneIn;
    kv = new RememberedKv(shape.kvCache(), shape.hostBlocks());
  }

  /** The tokens a request gets, whatever happens to it. */
  static int[] tokensOf(Request request, int count) {
    final int prompt = request.promptTokens();
    final int[] tokens = new int[prompt + count];
    request.copyPromptTokenIds(0, tokens, 0, prompt);
    long prefix = Objects.hashCode(request.cacheSalt());
    for (int i = 1; i < tokens.length; i++) {
      prefix = behind(prefix, tokens[i - 1]);
      if (i >= prompt) {
        tokens[i] = next(prefix);
      }
    }
    return tokens;
  }

  private static int next(long prefix) {
    return (int) Long.remainderUnsigned(prefix, VOCABULARY);
  }

  private static long behind(long prefix, int token) {
    final long mixed = (prefix ^ (token + 1)) * 0x9e3779b97f4a7c15L;
    return (mixed ^ (mixed >>> 29)) & Long.MAX_VALUE;
  }

  private long[] truthOf(Request request) {
    return truths.computeIfAbsent(
        request,
        asked -> {
          final int[] tokens = tokensOf(request, request.stopRule().maxTokens());
          final long[] truth = new long[tokens.length];
          long prefix = Objects.hashCode(request.cacheSalt());
          for (int i = 0; i < truth.length; i++) {
            prefix = behind(prefix, tokens[i]);
            truth[i] = prefix;
          }
          return truth;
        });
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    if (isUnlucky()) {
      throw new IllegalStateException("the step was refused");
    }
    final List<Entry> entries = new ArrayList<>();
    for (int entry = 0; entry < plan.size(); entry++) {
      final int from = plan.computedTokens(entry);
      entries.add(
          new Entry(
              new Tables(blocksOf(plan, entry), truthOf(plan.request(entry).request())),
              from,
              from + plan.scheduledTokens(entry),
              plan.samples(entry)));
    }
    final BlockOperations operations = plan.blockOperations();
    final int[] toHost = pairs(operations.saves());
    final int[] toDevice = pairs(operations.loads());
    final int[] zeroed = new int[operations.zeroed().size()];
    Arrays.setAll(zeroed, operations.zeroed()::block);
    final int[] copies = pairs(operations.copies());
    requireDistinct(plan, toHost, toDevice);
    saves += operations.saves().size();
    loads += operations.loads().size();
    final boolean transfers = toHost.length + toDevice.length > 0;
    emptyStepsWithTransfers += plan.size() == 0 && transfers ? 1 : 0;
    out.addLast(new Step(plan.stepId(), entries, toHost, toDevice, zeroed, copies));
  }

  private static int[] pairs(BlockPairs pairs) {
    final int[] all = new int[2 * pairs.size()];
    Arrays.setAll(all, i -> i % 2 == 0 ? pairs.source(i / 2) : pairs.target(i / 2));
    return all;
  }

  private static int[][] blocksOf(StepPlan plan, int entry) {
    final int[][] blocks = new int[plan.blocks().groupCount()][];
    for (int group = 0; group < blocks.length; group++) {
      blocks[group] = new int[plan.blocks().count(entry, group)];
      plan.blocks().of(entry).copyBlockIds(group, 0, blocks[group], 0, blocks[group].length);
    }
    return blocks;
  }

  private void requireDistinct(StepPlan plan, int[] toHost, int[] toDevice) {
    final long hosts = toHost.length / 2;
    final List<Integer> targets = new ArrayList<>();
    final List<Integer> loaded = new ArrayList<>();
    for (int i = 1; i < toHost.length; i += 2) {
      targets.add(toHost[i]);
    }
    for (int i = 0; i < toDevice.length; i += 2) {
      loaded.add(toDevice[i + 1]);
      require(!targets.contains(toDevice[i]), plan.stepId(), "loads from a block it saves to");
    }
    require(targets.stream().distinct().count() == hosts, plan.stepId(), "saves to a block twice");
    require(
        loaded.stream().distinct().count() == loaded.size(), plan.stepId(), "loads a block twice");
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) {
    if (isUnlucky()) {
      return false; // late: still out
    }
    final Step step = out.removeFirst();
    if (isUnlucky()) {
      leaveRubbish(step);
      throw new IllegalStateException("the step failed");
    }
    kv.save(step.saves);
    kv.load(step.loads);
    kv.spoilBlocks(step.zeroed);
    kv.copy(step.copies);
    for (int index = 0; index < step.entries.size(); index++) {
      run(step, index, output);
    }
    return true;
  }

  /** Entries stand behind those whose blocks of the same step they share. */
  private void run(Step step, int index, StepOutput output) {
    final Entry entry = step.entries.get(index);
    final boolean fails = isUnlucky();
    final boolean sound = !fails && kv.canCompute(entry.tables, entry.from);
    if (sound) {
      require(kv.write(entry.tables, entry.from, entry.to), step.id, "writes to the null block");
    } else {
      kv.spoil(entry.tables, entry.from, entry.to);
    }
    if (fails) {
      output.fail(index, new IllegalStateException("the entry failed"));
    } else if (entry.samples) {
      final int token = next(entry.tables.truth()[entry.to - 1]);
      output.addToken(index, sound ? token : (token + 1) % VOCABULARY);
    }
    unsoundEntries += sound || fails ? 0 : 1;
  }

  private void leaveRubbish(Step step) {
    kv.spoilTargetsOnHost(step.saves);
    kv.spoilTargets(step.loads);
    kv.spoilTargets(step.copies);
    kv.spoilBlocks(step.zeroed);
    for (Entry entry : step.entries) {
      kv.spoil(entry.tables, entry.from, entry.to);
    }
  }

  private boolean isUnlucky() {
    final boolean unlucky = oneIn > 0 && random.nextInt(oneIn) == 0;
    failures += unlucky ? 1 : 0;
    return unlucky;
  }

  private void require(boolean holds, long stepId, String what) {
    if (!holds) {
      violations.add("stepId=" + stepId + ": " + what);
    }
  }

  @Override
  public void close() {
    out.clear();
  }
}
