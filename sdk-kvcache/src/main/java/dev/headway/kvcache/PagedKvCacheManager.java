package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.KvVerdict;
import dev.headway.api.request.KvReport;
import dev.headway.api.request.PrefixReuse;
import dev.headway.api.request.RequestView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Paged KV cache with prefix caching and least-recently-used eviction, for models whose layers all
 * attend to the whole context.
 *
 * <p>One thread, the engine's. Nothing but {@link #open} allocates once warm. A demand is answered
 * by a {@link KvVerdict} before anything is changed, so a refusal leaves no trace.
 *
 * <p>With {@link KvOffloadOptions} what is evicted moves on to host memory, and a lookup goes on
 * there: see {@link HostTier}.
 */
public final class PagedKvCacheManager implements KvCacheManager {

  private static final KvCacheListener NOBODY = new KvCacheListener() {};

  /** Stands in a lookup's table for a block that is to be loaded. */
  private static final int NOT_ON_DEVICE = 0;

  private static final long ANY_SEQUENCE = 0;

  private final KvCacheShape shape;
  private final int blockSize;
  private final int maxModelLen;
  private final boolean caching;
  private final boolean fenced;
  private final boolean recomputesLastHit;

  /** Tokens behind a block that must be computed before drafting modules have filled it too. */
  private final int cachingLag;

  private final BlockHasher hasher;
  private final PrefixIndex index;
  private final BlockPool pool;

  /** Null where failed steps are none of our business. */
  private final @Nullable BlockWriters writers;

  private final @Nullable HostTier host;
  private final KvCacheListener listener;
  private final Stored stored = new Stored();
  private final int[] blockTokens;
  private int sequencesWithBlocks;
  private int neededBlocks;
  private long step;
  private long sequences;

  private PagedKvCacheManager(Builder builder) {
    shape = builder.shape;
    blockSize = shape.blockSize();
    maxModelLen = builder.maxModelLen;
    caching = builder.prefixCaching == PrefixCaching.ENABLED;
    fenced = builder.compatibility == Compatibility.HEADWAY;
    recomputesLastHit = builder.speculation.recomputesLastHit();
    cachingLag = Math.max(0, builder.speculation.prefillLookaheadTokens() - 1);
    hasher = builder.hasher;
    listener = builder.listener;
    final int hostBlocks = builder.offload.hostBlocks();
    final int contents = caching ? Math.addExact(shape.numBlocks(), hostBlocks) : 1;
    index = new PrefixIndex(shape.numBlocks(), contents, blockSize, hasher);
    pool = new BlockPool(shape.numBlocks(), index, listener);
    writers = fenced && caching ? new BlockWriters(shape.numBlocks()) : null;
    host =
        hostBlocks == 0
            ? null
            : new HostTier(hostBlocks, index, Objects.requireNonNull(writers, "checked"));
    if (host != null) {
      pool.saveTo(host);
    }
    blockTokens = new int[blockSize];
  }

  /**
   * Starts a manager.
   *
   * @param shape size of the cache
   * @param maxModelLen longest sequence, in tokens; no demand goes beyond it
   */
  public static Builder builder(KvCacheShape shape, int maxModelLen) {
    return new Builder(shape, maxModelLen);
  }

  @Override
  public KvCacheShape shape() {
    return shape;
  }

  @Override
  public KvSequence open(RequestView request) {
    final int root =
        caching ? index.acquireRoot(PrefixScope.of(request.request())) : PrefixIndex.NONE;
    return new PagedSequence(++sequences, request, root, blockSize);
  }

  @Override
  public void beginStep(long stepId) {
    step = stepId;
    if (host != null) {
      host.beginStep(stepId);
    }
  }

  @Override
  public void endStep(KvBlockWork work) {
    if (host != null) {
      host.handOver(work);
    }
  }

  @Override
  public void close(KvSequence sequence) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (seq.count > 0) {
      throw new IllegalStateException(
          "a sequence must be released before it is closed: id="
              + seq.request.id()
              + ", blockCount="
              + seq.count);
    }
    if (caching) {
      index.releaseRoot(seq.root);
    }
  }

  @Override
  public int match(KvSequence sequence) {
    final PagedSequence seq = (PagedSequence) sequence;
    seq.matchedBlocks = 0;
    seq.matchedLoads = 0;
    if (!caching || seq.request.request().prefixReuse() == PrefixReuse.SKIPPED) {
      return 0;
    }
    final int known = seq.request.knownTokens();
    final int limit = (known - 1) / blockSize;
    seq.ensureCapacity(limit);
    int parent = seq.root;
    while (seq.matchedBlocks < limit) {
      final int at = seq.matchedBlocks;
      final int content = index.find(loadBlock(seq, at), parent, blockTokens, 0);
      if (content == PrefixIndex.NONE) {
        break;
      }
      final int block = index.firstBlockOf(content);
      if (block != PrefixIndex.NONE) {
        seq.blocks[at] = block;
      } else if (!matchInHost(seq, at, content)) {
        break;
      }
      seq.matchedBlocks++;
      parent = content;
    }
    if (recomputesLastHit && seq.matchedBlocks > 0) {
      seq.matchedBlocks--;
      seq.matchedLoads -= seq.blocks[seq.matchedBlocks] == NOT_ON_DEVICE ? 1 : 0;
    }
    if (seq.matchedBlocks > 0 && seq.request.request().kvReport() == KvReport.FULL) {
      listener.onKvStored(seq.request, stored.of(seq, 0, seq.matchedBlocks));
    }
    return seq.matchedBlocks * blockSize;
  }

  private boolean matchInHost(PagedSequence seq, int at, int content) {
    final int hostBlock = host == null ? PrefixIndex.NONE : host.find(content);
    if (hostBlock == PrefixIndex.NONE) {
      return false;
    }
    seq.blocks[at] = NOT_ON_DEVICE;
    seq.matchInHost(at, hostBlock);
    return true;
  }

  @Override
  public int hostTokens(KvSequence sequence) {
    return ((PagedSequence) sequence).matchedLoads * blockSize;
  }

  @Override
  public KvVerdict admit(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int hits = seq.matchedBlocks;
    final int computed = hits * blockSize;
    final int revived = countFree(seq, hits) + seq.matchedLoads;
    if (reserveTokens > 0) {
      final int whole = missing(Math.min(reserveTokens, maxModelLen), hits) + revived;
      final KvVerdict gate = judge(whole, watermarkBlocks, KvVerdict.FULL_SEQUENCE_SHORT);
      if (gate != KvVerdict.ALLOCATED) {
        return gate;
      }
    }
    final int fresh = missing(Math.min(computed + newTokens + lookaheadTokens, maxModelLen), hits);
    final KvVerdict verdict = judge(fresh + revived, watermarkBlocks, KvVerdict.BLOCKS_SHORT);
    if (verdict != KvVerdict.ALLOCATED) {
      return verdict;
    }
    holdHits(seq, hits);
    seq.reserve(shape.blocksFor(CacheRoom.mostTokens(seq.request, lookaheadTokens, maxModelLen)));
    seq.count = hits;
    seq.cachedBlocks = hits;
    if (seq.matchedLoads > 0) {
      load(seq, hits);
    }
    take(seq, fresh);
    sequencesWithBlocks++;
    cacheFullBlocks(seq, computed + newTokens, step);
    settle(seq);
    return KvVerdict.ALLOCATED;
  }

  @Override
  public KvVerdict grow(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int computed = computedTokens + newTokens;
    final int slots = Math.min(computed + lookaheadTokens, maxModelLen);
    final int fresh = missing(slots, seq.count);
    final KvVerdict verdict = judge(fresh, 0, KvVerdict.BLOCKS_SHORT);
    if (verdict != KvVerdict.ALLOCATED) {
      return verdict;
    }
    take(seq, fresh);
    cacheFullBlocks(seq, computed, step);
    settle(seq);
    return KvVerdict.ALLOCATED;
  }

  @Override
  public void cache(KvSequence sequence, int computedTokens) {
    final PagedSequence seq = (PagedSequence) sequence;
    cacheFullBlocks(seq, computedTokens, BlockWriters.ANSWERED);
    settle(seq);
  }

  @Override
  public void forget(KvSequence sequence, int computedTokens) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int sure = computedTokens / blockSize;
    for (int i = seq.cachedBlocks - 1; i >= sure; i--) {
      pool.forget(seq.blocks[i]);
    }
    seq.cachedBlocks = Math.min(seq.cachedBlocks, sure);
    settle(seq);
  }

  @Override
  public int neededBlocks() {
    return neededBlocks;
  }

  @Override
  public int release(KvSequence sequence, long lastStepId) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int released = seq.count;
    if (released == 0) {
      return 0;
    }
    if (fenced) {
      pool.giveBackAfter(lastStepId, seq.blocks, released);
    } else {
      pool.giveBack(seq.blocks, released);
    }
    seq.count = 0;
    seq.cachedBlocks = 0;
    seq.matchedBlocks = 0;
    seq.matchedLoads = 0;
    seq.quietTokens = 0;
    sequencesWithBlocks--;
    return released;
  }

  @Override
  public void acknowledge(long stepId) {
    pool.acknowledge(stepId);
  }

  @Override
  public boolean reset() {
    if (pool.freeBlocks() < shape.usableBlocks()) {
      return false;
    }
    pool.forgetContents();
    if (host != null) {
      host.clear();
    }
    return true;
  }

  @Override
  public void confirm(long stepId) {
    if (host != null) {
      host.confirm(stepId);
    }
  }

  @Override
  public boolean restsOn(KvSequence sequence, long stepId) {
    return restsOn((PagedSequence) sequence, ANY_SEQUENCE, stepId);
  }

  @Override
  public boolean restsOn(KvSequence sequence, KvSequence writer, long stepId) {
    return restsOn((PagedSequence) sequence, ((PagedSequence) writer).number, stepId);
  }

  private boolean restsOn(PagedSequence seq, long writer, long stepId) {
    if (writers == null) {
      return false;
    }
    for (int i = 0; i < seq.count; i++) {
      final int block = seq.blocks[i];
      if (writers.stepOf(block) == stepId
          && (writer == ANY_SEQUENCE || writers.sequenceOf(block) == writer)
          && index.isCached(block)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void distrust(long stepId) {
    if (writers == null) {
      return;
    }
    for (int block = 1; block < shape.numBlocks(); block++) {
      if (writers.stepOf(block) >= stepId && pool.holders(block) == 0) {
        pool.forget(block);
      }
    }
    if (host != null) {
      host.dropUnconfirmed();
    }
  }

  @Override
  public int hostBlocks() {
    return host == null ? 0 : host.blocks();
  }

  @Override
  public int usedHostBlocks() {
    return host == null ? 0 : host.usedBlocks();
  }

  @Override
  public int freeBlocks() {
    return pool.freeBlocks();
  }

  @Override
  public int quarantinedBlocks() {
    return pool.quarantinedBlocks();
  }

  @Override
  public int cachedContents() {
    return index.contentsWithBlocks();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (!caching || sequencesWithBlocks == 1) {
      return caching ? seq.count : 0;
    }
    int shared = 0;
    while (shared < seq.count && pool.holders(seq.blocks[shared]) == sequencesWithBlocks) {
      shared++;
    }
    return shared;
  }

  /**
   * Copies the free blocks in the order in which they will be taken. For tests and diagnosis:
   * O(free blocks).
   */
  public int[] freeBlocksInOrder() {
    return pool.freeBlocksInOrder();
  }

  private int missing(int slots, int owned) {
    return Math.max(0, (slots + blockSize - 1) / blockSize - owned);
  }

  private KvVerdict judge(int demand, int watermarkBlocks, KvVerdict shortage) {
    neededBlocks = demand + watermarkBlocks;
    final int free = pool.freeBlocks();
    if (demand > free) {
      return shortage;
    }
    return neededBlocks > free ? KvVerdict.WATERMARK_SHORT : KvVerdict.ALLOCATED;
  }

  private int countFree(PagedSequence seq, int hits) {
    int count = 0;
    for (int i = 0; i < hits; i++) {
      if (seq.blocks[i] != NOT_ON_DEVICE && pool.isFree(seq.blocks[i])) {
        count++;
      }
    }
    return count;
  }

  /** Nothing that was found can be given up for what is taken from now on. */
  private void holdHits(PagedSequence seq, int hits) {
    for (int i = 0; i < hits; i++) {
      if (seq.blocks[i] != NOT_ON_DEVICE) {
        pool.share(seq.blocks[i]);
      } else if (host != null) {
        host.keep(seq.hostBlock(i));
      }
    }
  }

  /** Takes blocks for what only the host tier has; others can find it at once. */
  private void load(PagedSequence seq, int hits) {
    final HostTier tier = Objects.requireNonNull(host);
    int from = 0;
    for (int i = 0; i < hits; i++) {
      if (seq.blocks[i] == NOT_ON_DEVICE) {
        seq.blocks[i] = pool.take();
        index.hold(seq.blocks[i], tier.load(seq.request, seq.hostBlock(i), seq.blocks[i]));
        Objects.requireNonNull(writers).writes(seq.blocks[i], step, seq.number);
      } else {
        tellStored(seq, from, i);
        from = i + 1;
      }
    }
    tellStored(seq, from, hits);
  }

  private void tellStored(PagedSequence seq, int from, int to) {
    if (to > from) {
      listener.onKvStored(seq.request, stored.of(seq, from, to - from));
    }
  }

  private void take(PagedSequence seq, int fresh) {
    seq.ensureCapacity(seq.count + fresh);
    for (int i = 0; i < fresh; i++) {
      seq.blocks[seq.count++] = pool.take();
    }
  }

  /** Finds out up to where the sequence needs neither a block nor a place in the index. */
  private void settle(PagedSequence seq) {
    final int room = seq.count * blockSize;
    final int unfindable = (seq.cachedBlocks + 1) * blockSize - 1 + cachingLag;
    seq.quietTokens = caching ? Math.min(room, unfindable) : room;
  }

  /**
   * Makes the blocks that {@code computed} tokens fill findable; step {@code writer} fills them.
   */
  private void cacheFullBlocks(PagedSequence seq, int computed, long writer) {
    if (!caching || computed - cachingLag < (seq.cachedBlocks + 1) * blockSize) {
      return;
    }
    final int full = (Math.min(computed, seq.request.knownTokens()) - cachingLag) / blockSize;
    final int from = seq.cachedBlocks;
    if (full <= from) {
      return;
    }
    int parent = from == 0 ? seq.root : index.contentOf(seq.blocks[from - 1]);
    for (int i = from; i < full; i++) {
      parent = index.store(seq.blocks[i], loadBlock(seq, i), parent, blockTokens, 0);
      if (writers != null) {
        writers.writes(seq.blocks[i], writer, seq.number);
      }
    }
    seq.cachedBlocks = full;
    listener.onKvStored(seq.request, stored.of(seq, from, full - from));
  }

  /** Puts the block's tokens into {@link #blockTokens}; returns its hash, computed once. */
  private long loadBlock(PagedSequence seq, int block) {
    seq.request.copyTokenIds(block * blockSize, blockTokens, 0, blockSize);
    if (block == seq.hashedBlocks()) {
      final long parent = block == 0 ? index.hashOf(seq.root) : seq.hash(block - 1);
      seq.addHash(hasher.block(parent, blockTokens, 0, blockSize));
    }
    return seq.hash(block);
  }

  /** The reused view of {@link KvCacheListener#onKvStored}. */
  private final class Stored implements KvBlocksStored {
    private @Nullable PagedSequence seq;
    private int from;
    private int count;

    Stored of(PagedSequence seq, int from, int count) {
      this.seq = seq;
      this.from = from;
      this.count = count;
      return this;
    }

    @Override
    public int count() {
      return count;
    }

    @Override
    public long contentHash(int position) {
      return sequence().hash(from + position);
    }

    @Override
    public boolean hasParent() {
      return from > 0;
    }

    @Override
    public long parentContentHash() {
      return sequence().hash(from - 1);
    }

    @Override
    public int firstToken() {
      return from * blockSize;
    }

    @Override
    public int group() {
      return 0;
    }

    @Override
    public int tokenCount() {
      return count * blockSize;
    }

    @Override
    public int blockSize() {
      return blockSize;
    }

    private PagedSequence sequence() {
      return Objects.requireNonNull(seq, "only valid during the call");
    }
  }

  /** Collects the options of a manager. Not thread-safe. */
  public static final class Builder {

    private final KvCacheShape shape;
    private final int maxModelLen;
    private PrefixCaching prefixCaching = PrefixCaching.ENABLED;
    private Compatibility compatibility = Compatibility.HEADWAY;
    private SpeculationOptions speculation = SpeculationOptions.NONE;
    private BlockHasher hasher = BlockHasher.randomKey();
    private KvCacheListener listener = NOBODY;
    private KvOffloadOptions offload = KvOffloadOptions.NONE;

    private Builder(KvCacheShape shape, int maxModelLen) {
      if (maxModelLen < 1) {
        throw new IllegalArgumentException("maxModelLen must be >= 1: maxModelLen=" + maxModelLen);
      }
      this.shape = shape;
      this.maxModelLen = maxModelLen;
    }

    /** {@link PrefixCaching#ENABLED} unless set. */
    public Builder prefixCaching(PrefixCaching prefixCaching) {
      this.prefixCaching = prefixCaching;
      return this;
    }

    /** Under {@link Compatibility#VLLM_0_28} blocks are free at once, without a step fence. */
    public Builder compatibility(Compatibility compatibility) {
      this.compatibility = compatibility;
      return this;
    }

    /** {@link SpeculationOptions#NONE} unless set. */
    public Builder speculation(SpeculationOptions speculation) {
      this.speculation = speculation;
      return this;
    }

    /** A random key unless set. */
    public Builder hasher(BlockHasher hasher) {
      this.hasher = hasher;
      return this;
    }

    /** Hears what is stored and removed; nobody unless set. */
    public Builder listener(KvCacheListener listener) {
      this.listener = listener;
      return this;
    }

    /** {@link KvOffloadOptions#NONE} unless set. */
    public Builder offload(KvOffloadOptions offload) {
      this.offload = offload;
      return this;
    }

    /**
     * Returns the manager; its arrays are allocated now.
     *
     * @throws IllegalArgumentException if a host tier is asked for without what it needs
     */
    public PagedKvCacheManager build() {
      if (offload.hostBlocks() > 0
          && (prefixCaching == PrefixCaching.DISABLED || compatibility != Compatibility.HEADWAY)) {
        throw new IllegalArgumentException(
            "hostBlocks needs prefixCaching ENABLED and compatibility HEADWAY: hostBlocks="
                + offload.hostBlocks()
                + ", prefixCaching="
                + prefixCaching
                + ", compatibility="
                + compatibility);
      }
      return new PagedKvCacheManager(this);
    }
  }
}
