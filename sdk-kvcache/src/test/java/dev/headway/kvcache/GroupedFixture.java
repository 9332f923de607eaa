package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.PrefixRetention;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.Request;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cache of some groups with 40 blocks, and requests by name. What is scheduled counts as
 * processed unless a test says otherwise.
 */
final class GroupedFixture implements KvCacheListener, KvBlockWork {

  private final List<KvGroup> groups;
  private final Map<String, FakeRequest> requests = new HashMap<>();
  private final Map<String, KvSequence> sequences = new HashMap<>();
  private final Map<String, Integer> computed = new HashMap<>();
  private final List<String> events = new ArrayList<>();
  private final List<String> work = new ArrayList<>();
  private int usableBlocks = 40;
  private int maxInFlightTokens = 64;
  private int reserveTokens;
  private final PrefixCacheOptions.Builder prefixCache = PrefixCacheOptions.builder();
  private boolean caches = true;
  private SpeculationOptions speculation = SpeculationOptions.NONE;
  private Compatibility compatibility = Compatibility.HEADWAY;
  private long step;
  private Allocation answer = new Allocation();
  private GroupedKvCacheManager manager;

  private GroupedFixture(List<KvGroup> groups) {
    this.groups = groups;
  }

  static GroupedFixture cache(KvGroup... groups) {
    return new GroupedFixture(List.of(groups));
  }

  static KvGroup full(int blockSize) {
    return new KvGroup.FullAttention(blockSize);
  }

  static KvGroup window(int blockSize, int tokens) {
    return new KvGroup.SlidingWindow(blockSize, tokens);
  }

  static KvGroup chunks(int blockSize, int tokens) {
    return new KvGroup.ChunkedLocal(blockSize, tokens);
  }

  static KvGroup states(int blockSize, int speculative) {
    return new KvGroup.Mamba(blockSize, speculative);
  }

  /** A text of {@code length} tokens; texts of different numbers share nothing. */
  static int[] text(int number, int length) {
    final int[] tokens = new int[length];
    Arrays.setAll(tokens, i -> 1_000 * number + i);
    return tokens;
  }

  /** A text that leaves text {@code number} after {@code common} tokens. */
  static int[] branch(int number, int common, int length) {
    final int[] tokens = text(number, length);
    for (int i = common; i < length; i++) {
      tokens[i] += 500;
    }
    return tokens;
  }

  GroupedFixture usableBlocks(int count) {
    usableBlocks = count;
    return this;
  }

  GroupedFixture matchUnit(int tokens) {
    prefixCache.matchUnit(tokens);
    return this;
  }

  GroupedFixture retention(PrefixRetention kept) {
    prefixCache.retention(kept);
    return this;
  }

  GroupedFixture maxInFlightTokens(int tokens) {
    maxInFlightTokens = tokens;
    return this;
  }

  GroupedFixture drafting(SpeculativeMethod method, int tokens) {
    speculation = SpeculationOptions.of(method, tokens);
    return this;
  }

  GroupedFixture withoutCaching() {
    caches = false;
    return this;
  }

  /** The gate of the admissions that follow. */
  GroupedFixture reserveTokens(int tokens) {
    reserveTokens = tokens;
    return this;
  }

  GroupedFixture request(String id, int... tokens) {
    return request(Request.builder(id, tokens));
  }

  GroupedFixture reportingRequest(String id, int... tokens) {
    return request(Request.builder(id, tokens).kvReport(KvReport.FULL));
  }

  GroupedFixture request(Request.Builder builder) {
    final FakeRequest request = FakeRequest.of(0, builder.maxTokens(100).build());
    requests.put(request.id(), request);
    sequences.put(request.id(), manager().open(request));
    return this;
  }

  int lookup(String id) {
    return manager().lookup(sequence(id));
  }

  /** Looks the prefix up, and admits all that is behind it. */
  Allocation.Status allocate(String id) {
    final int matched = lookup(id);
    return allocateFound(id, matched, requests.get(id).knownTokens() - matched);
  }

  /** Looks the prefix up, and admits a chunk behind it. */
  Allocation.Status allocateChunk(String id, int tokens) {
    return allocateFound(id, lookup(id), tokens);
  }

  private Allocation.Status allocateFound(String id, int matched, int tokens) {
    answer = manager().allocate(sequence(id), tokens, 0, reserveTokens, 0);
    if (answer.isAllocated()) {
      computed.put(id, matched + tokens);
    }
    return answer.status();
  }

  /** Demands blocks for {@code tokens} more known tokens. */
  Allocation.Status extend(String id, int tokens) {
    answer = manager().extend(sequence(id), computed.get(id), tokens, 0);
    if (answer.isAllocated()) {
      computed.merge(id, tokens, Integer::sum);
    }
    return answer.status();
  }

  /** Blocks that the latest demand asked of the free ones. */
  int neededBlocks() {
    return answer.neededBlocks();
  }

  int usedBlocks() {
    return usableBlocks - manager().freeBlocks();
  }

  /** Ends the step, and begins the next one. */
  GroupedFixture nextStep() {
    work.clear();
    manager().endStep(this);
    manager().acknowledge(step);
    manager().beginStep(++step);
    return this;
  }

  void append(String id, int... tokens) {
    requests.get(id).append(tokens);
  }

  void inFlight(String id, int tokens) {
    requests.get(id).inFlightTokens(tokens);
  }

  int release(String id) {
    return releaseComputed(id, computed.getOrDefault(id, 0));
  }

  /** Releases a request of which only so many tokens were computed. */
  int releaseComputed(String id, int tokens) {
    return manager().release(sequence(id), tokens, 0);
  }

  /** The step failed as a whole, and is over; those that depend on it were released. */
  void fail(long stepId) {
    manager().stepFailed(stepId, null, dependent -> {});
    manager().stepEnded(stepId);
  }

  /** Whether a request depends on what the step was to write, for {@code writer} or for anybody. */
  boolean dependsOn(String id, @Nullable String writer, long stepId) {
    final Set<KvSequence> dependents = new HashSet<>();
    manager().stepFailed(stepId, writer == null ? null : sequence(writer), dependents::add);
    return dependents.contains(sequence(id));
  }

  KvSequence sequence(String id) {
    return sequences.get(id);
  }

  List<Integer> blocksOf(String id, int group) {
    final KvSequence sequence = sequence(id);
    final int[] blocks = new int[sequence.blockCount(group)];
    sequence.copyBlockIds(group, 0, blocks, 0, blocks.length);
    return Arrays.stream(blocks).boxed().toList();
  }

  List<Integer> free() {
    return Arrays.stream(manager().freeBlocksInOrder()).boxed().toList();
  }

  /**
   * As {@code stored ID GROUP: FROM+TOKENS at [first token of each hash]}, {@code removed GROUP}.
   */
  List<String> events() {
    return events;
  }

  /** What the step that ended last asked for, as {@code copy 1 to 2}, {@code zero 3}. */
  List<String> work() {
    return work;
  }

  GroupedKvCacheManager manager() {
    if (manager == null) {
      manager =
          KvCacheManagers.builder(
                  KvCacheShape.builder()
                      .blockSize(groups.get(0).blockSize())
                      .blocks(usableBlocks + 1)
                      .groups(groups)
                      .build(),
                  1_000)
              .maxInFlightTokens(maxInFlightTokens)
              .prefixCache(caches ? prefixCache.build() : PrefixCacheOptions.disabled())
              .speculation(speculation)
              .compatibility(compatibility)
              .hasher(BlockHasher.fixedKey(1, 2))
              .listener(this)
              .buildGrouped();
      manager.beginStep(++step);
    }
    return manager;
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    final List<Integer> positions = new ArrayList<>();
    for (int i = 0; i < blocks.count(); i++) {
      positions.add(blocks.firstToken(i));
    }
    events.add(
        "stored "
            + blocks.request().id()
            + " "
            + blocks.group()
            + ": "
            + blocks.firstToken()
            + "+"
            + blocks.tokenCount()
            + " at "
            + positions);
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    events.add("removed " + event.group());
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    events.add("cleared");
  }

  @Override
  public void copy(int source, int target) {
    work.add("copy " + source + " to " + target);
  }

  @Override
  public void zero(int block) {
    work.add("zero " + block);
  }
}
