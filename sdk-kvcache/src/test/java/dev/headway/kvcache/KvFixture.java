package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.KvBlockRemoved;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheCleared;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.testkit.FakeRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A cache of a few blocks of four tokens, and requests by name. Nothing is in it at first. */
final class KvFixture implements KvCacheListener {

  static final int BLOCK_SIZE = 4;

  private final Map<String, FakeRequest> requests = new HashMap<>();
  private final Map<String, KvSequence> sequences = new HashMap<>();
  private final Map<String, Integer> computed = new HashMap<>();
  private final List<String> events = new ArrayList<>();
  private final Map<String, List<Long>> hashes = new HashMap<>();
  private int usableBlocks = 8;
  private int maxModelLen = 1_000;
  private PrefixCacheOptions caching = PrefixCacheOptions.DEFAULT;
  private Compatibility compatibility = Compatibility.HEADWAY;
  private int reserveTokens;
  private int watermarkBlocks;
  private int lookaheadTokens;
  private int hostBlocks;
  private EvictionPolicy eviction = EvictionPolicy.LRU;
  private long nowNs;
  private final Work work = new Work();
  private Allocation answer = new Allocation();
  private PagedKvCacheManager manager;

  static KvFixture cache() {
    return new KvFixture();
  }

  /** Tokens of {@code blocks} full blocks that no other number gives. */
  static int[] text(int number, int blocks) {
    final int[] tokens = new int[blocks * BLOCK_SIZE];
    Arrays.setAll(tokens, i -> 1_000 * number + i);
    return tokens;
  }

  static int[] with(int[] tokens, int... more) {
    final int[] all = Arrays.copyOf(tokens, tokens.length + more.length);
    System.arraycopy(more, 0, all, tokens.length, more.length);
    return all;
  }

  KvFixture usableBlocks(int count) {
    usableBlocks = count;
    return this;
  }

  KvFixture maxModelLen(int tokens) {
    maxModelLen = tokens;
    return this;
  }

  /** A host tier of so many blocks; none unless set. */
  KvFixture hostBlocks(int count) {
    hostBlocks = count;
    return this;
  }

  /** What follows belongs to step {@code stepId}. */
  KvFixture step(long stepId) {
    manager().endStep(work);
    manager().beginStep(stepId);
    return this;
  }

  /** Ends the step; returns what was to be done to blocks since this was last asked. */
  List<String> work() {
    manager().endStep(work);
    return work.take();
  }

  /** Writes down what an executor would be told. */
  private static final class Work implements KvBlockWork {
    private final List<String> told = new ArrayList<>();

    List<String> take() {
      final List<String> taken = List.copyOf(told);
      told.clear();
      return taken;
    }

    @Override
    public void copy(int source, int target) {
      told.add("copy " + source + ">" + target);
    }

    @Override
    public void zero(int block) {
      told.add("zero " + block);
    }

    @Override
    public void save(int device, int host) {
      told.add("save " + device + ">" + host);
    }

    @Override
    public void load(RequestView request, int host, int device) {
      told.add("load " + host + ">" + device + " for " + request.id());
    }

    @Override
    public void evicted(int host) {
      told.add("evicted " + host);
    }
  }

  KvFixture withoutCaching() {
    caching = PrefixCacheOptions.disabled();
    return this;
  }

  KvFixture residencySample(double share) {
    caching = PrefixCacheOptions.builder().residencySample(share).build();
    return this;
  }

  KvFixture compatibility(Compatibility mode) {
    compatibility = mode;
    return this;
  }

  /** The gate of the admissions that follow. */
  KvFixture reserveTokens(int tokens) {
    reserveTokens = tokens;
    return this;
  }

  /** The watermark of the admissions that follow. */
  KvFixture watermarkBlocks(int blocks) {
    watermarkBlocks = blocks;
    return this;
  }

  /** The lookahead of the admissions that follow. */
  KvFixture lookaheadTokens(int tokens) {
    lookaheadTokens = tokens;
    return this;
  }

  KvFixture request(String id, int... tokens) {
    return request(Request.builder(id, tokens));
  }

  KvFixture saltedRequest(String id, String salt, int... tokens) {
    return request(Request.builder(id, tokens).cacheSalt(salt));
  }

  KvFixture requestWith(MultiModalItem item, String id, int... tokens) {
    return request(Request.builder(id, tokens).items(List.of(item)));
  }

  KvFixture requestWith(KvCacheRetention retention, String id, int... tokens) {
    return request(Request.builder(id, tokens).kvCacheRetention(retention));
  }

  /** What is given up first. */
  KvFixture eviction(EvictionPolicy policy) {
    eviction = policy;
    return this;
  }

  /** Time passes, and a step begins. */
  void wait(Duration duration) {
    nowNs += duration.toNanos();
    manager().beginStep(0);
  }

  KvFixture requestThatSkipsTheCache(String id, int... tokens) {
    return request(Request.builder(id, tokens).prefixReuse(PrefixReuse.SKIPPED));
  }

  private KvFixture request(Request.Builder builder) {
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
    final int known = requests.get(id).knownTokens();
    final int matched = lookup(id);
    return allocateFound(id, matched, known - matched);
  }

  /** Looks the prefix up, and admits a chunk behind it. */
  Allocation.Status allocateChunk(String id, int tokens) {
    return allocateFound(id, lookup(id), tokens);
  }

  private Allocation.Status allocateFound(String id, int matched, int tokens) {
    answer =
        manager().allocate(sequence(id), tokens, lookaheadTokens, reserveTokens, watermarkBlocks);
    if (answer.isAllocated()) {
      computed.put(id, matched + tokens);
    }
    return answer.status();
  }

  /** Demands blocks for {@code tokens} more known tokens. */
  Allocation.Status extend(String id, int tokens) {
    final int before = computed.get(id);
    answer = manager().extend(sequence(id), before, tokens, 0);
    if (answer.isAllocated()) {
      computed.put(id, before + tokens);
    }
    return answer.status();
  }

  /** Blocks that the latest demand asked of the free ones. */
  int neededBlocks() {
    return answer.neededBlocks();
  }

  /** Tokens that the latest demand found in the host only. */
  int hostTokens() {
    return answer.hostTokens();
  }

  int usedBlocks() {
    return usableBlocks - manager().freeBlocks();
  }

  void append(String id, int... tokens) {
    requests.get(id).append(tokens);
  }

  int release(String id) {
    return releaseAfterStep(id, 0);
  }

  int releaseAfterStep(String id, long stepId) {
    return manager().release(sequence(id), computed.getOrDefault(id, 0), stepId);
  }

  /** The step failed as a whole, and is over; those that depend on it were released. */
  void fail(long stepId) {
    manager().stepFailed(stepId, null, dependent -> {});
    manager().stepEnded(stepId);
  }

  /** Who depends on what the step was to write or to load. */
  List<String> dependents(long stepId) {
    final Set<String> found = new TreeSet<>();
    manager()
        .stepFailed(
            stepId,
            null,
            dependent ->
                sequences.forEach(
                    (id, sequence) -> {
                      if (sequence == dependent) {
                        found.add(id);
                      }
                    }));
    return List.copyOf(found);
  }

  KvSequence sequence(String id) {
    return sequences.get(id);
  }

  List<Integer> blocksOf(String id) {
    final KvSequence sequence = sequence(id);
    final int[] blocks = new int[sequence.blockCount(0)];
    sequence.copyBlockIds(0, 0, blocks, 0, blocks.length);
    return Arrays.stream(blocks).boxed().toList();
  }

  List<Integer> free() {
    return Arrays.stream(manager().freeBlocksInOrder()).boxed().toList();
  }

  /** What was stored and removed, as {@code stored id firstToken+count}, {@code removed}. */
  List<String> events() {
    return events;
  }

  /** The content hashes of a request's blocks, as its events told them. */
  List<Long> hashes(String id) {
    return hashes.getOrDefault(id, List.of());
  }

  PagedKvCacheManager manager() {
    if (manager == null) {
      final KvCacheManagers.Builder builder =
          KvCacheManagers.builder(
                  KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(usableBlocks + 1).build(),
                  maxModelLen)
              .prefixCache(caching)
              .compatibility(compatibility)
              .hasher(BlockHasher.fixedKey(1, 2))
              .offload(new KvOffloadOptions(hostBlocks))
              .eviction(eviction)
              .listener(this);
      builder.clock = () -> nowNs;
      manager = (PagedKvCacheManager) builder.build();
    }
    return manager;
  }

  @Override
  public void onKvStored(KvBlocksStored blocks) {
    events.add(
        "stored "
            + blocks.request().id()
            + " "
            + blocks.firstToken()
            + "+"
            + blocks.count()
            + " blocks");
    final List<Long> known = hashes.computeIfAbsent(blocks.request().id(), id -> new ArrayList<>());
    if (blocks.hasParent() && !known.isEmpty() && known.getLast() != blocks.parentContentHash()) {
      throw new AssertionError("parent must be the block before: id=" + blocks.request().id());
    }
    for (int i = 0; i < blocks.count(); i++) {
      known.add(blocks.contentHash(i));
    }
  }

  @Override
  public void onKvRemoved(KvBlockRemoved event) {
    events.add("removed");
  }

  @Override
  public void onKvCleared(KvCacheCleared event) {
    events.add("cleared");
  }
}
