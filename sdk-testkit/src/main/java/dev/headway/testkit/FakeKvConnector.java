package dev.headway.testkit;

import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.connector.BlockRelease;
import dev.headway.api.kvcache.connector.ExternalTokens;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.kvcache.connector.KvRole;
import dev.headway.api.kvcache.connector.TransferSink;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TransferReport;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A KV connector that moves nothing: it has what a test says it has, and loads end when the test
 * says so. For tests of a scheduler or an engine; not thread-safe.
 *
 * {@snippet :
 * FakeKvConnector connector = new FakeKvConnector(KvRole.CONSUMER).has("a", 8, ExternalTokens.Kind.AHEAD);
 * scheduler.schedule(); // its load begins
 * connector.receive("a");
 * scheduler.transfersEnded(connector.takeReport());
 * scheduler.schedule(); // it runs
 * }
 */
public final class FakeKvConnector implements KvConnector {

  private final KvRole role;
  private final Map<String, Part> parts = new HashMap<>();
  private final Map<String, Transfer> loads = new LinkedHashMap<>();
  private final Map<String, Transfer> sends = new LinkedHashMap<>();
  private final TransferReport report = new TransferReport();
  private @Nullable TransferSink sink;

  /** Makes a connector that has nothing. */
  public FakeKvConnector(KvRole role) {
    this.role = role;
  }

  /**
   * It has the KV of a request's first tokens.
   *
   * @param tokens how many; what is known and not cached of them is answered
   * @param kind {@code IN_STEP} or {@code AHEAD}
   */
  public FakeKvConnector has(String id, int tokens, ExternalTokens.Kind kind) {
    final Part part = part(id);
    part.tokens = tokens;
    part.kind = kind;
    return this;
  }

  /** It does not know of a request the next so many times that it is asked. */
  public FakeKvConnector isUndecided(String id, int times) {
    part(id).undecided = times;
    return this;
  }

  /** It keeps the blocks of a request that ends by itself, until {@link #send}. */
  public FakeKvConnector keeps(String id) {
    part(id).keeps = true;
    return this;
  }

  private Part part(String id) {
    return parts.computeIfAbsent(id, key -> new Part());
  }

  /** Requests whose load is out, in the order in which they began. */
  public Set<String> loads() {
    return Set.copyOf(loads.keySet());
  }

  /** Requests whose blocks are kept for it. */
  public Set<String> sends() {
    return Set.copyOf(sends.keySet());
  }

  /** The load of a request has ended. */
  public void receive(String id) {
    end(loads, id);
  }

  /** The same, and its blocks from the first of {@code fromToken} on are not there. */
  public void failLoad(String id, int fromToken, int blockSize) {
    final Transfer load = Objects.requireNonNull(loads.get(id), "no load is out: id=" + id);
    for (int i = fromToken / blockSize; i < load.blocks.length; i++) {
      report.invalid(load.blocks[i]);
    }
    end(loads, id);
  }

  /** The blocks of a request are sent. */
  public void send(String id) {
    final Transfer ended = Objects.requireNonNull(sends.remove(id), "not kept: id=" + id);
    report.sent(ended.number);
    tell();
  }

  private void end(Map<String, Transfer> transfers, String id) {
    final Transfer ended = Objects.requireNonNull(transfers.remove(id), "not out: id=" + id);
    report.received(ended.number);
    tell();
  }

  private void tell() {
    if (sink != null) {
      sink.report(report);
      report.clear();
    }
  }

  /** What has ended since the last call, for a scheduler without an engine. */
  public TransferReport takeReport() {
    final TransferReport taken = new TransferReport();
    taken.add(report);
    report.clear();
    return taken;
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
  public void lookup(RequestView request, int localTokens, ExternalTokens answer) {
    final Part part = part(request.id());
    if (part.undecided > 0) {
      part.undecided--;
      answer.askAgain();
      return;
    }
    final boolean ahead = part.kind == ExternalTokens.Kind.AHEAD;
    final int most = request.knownTokens() - (ahead ? 0 : 1);
    final int tokens = Math.max(0, Math.min(part.tokens, most) - localTokens);
    if (ahead) {
      answer.ahead(tokens);
    } else {
      answer.inStep(tokens);
    }
  }

  @Override
  public void admitted(RequestView request, KvSequence blocks, int externalTokens) {
    if (externalTokens > 0 && part(request.id()).kind == ExternalTokens.Kind.AHEAD) {
      loads.put(request.id(), new Transfer(request.number(), copy(blocks)));
    }
  }

  @Override
  public BlockRelease requestFinished(
      RequestView request, KvSequence blocks, int computedTokens, FinishReason reason) {
    final boolean stopped = reason == FinishReason.STOP || reason == FinishReason.LENGTH;
    if (!stopped || !part(request.id()).keeps || blocks.blockCount(0) == 0) {
      return BlockRelease.NOW;
    }
    sends.put(request.id(), new Transfer(request.number(), copy(blocks)));
    return BlockRelease.WHEN_SENT;
  }

  private static int[] copy(KvSequence blocks) {
    final int[] copied = new int[blocks.blockCount(0)];
    blocks.copyBlockIds(0, 0, copied, 0, copied.length);
    return copied;
  }

  /** What it has of a request. */
  private static final class Part {
    private int tokens;
    private ExternalTokens.Kind kind = ExternalTokens.Kind.IN_STEP;
    private int undecided;
    private boolean keeps;
  }

  /** A transfer of the first group's blocks. */
  private static final class Transfer {
    private final long number;
    private final int[] blocks;

    Transfer(long number, int[] blocks) {
      this.number = number;
      this.blocks = blocks;
    }
  }
}
