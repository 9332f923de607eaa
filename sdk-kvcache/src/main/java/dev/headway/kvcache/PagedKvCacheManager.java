package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCaching;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.kvcache.KvVerdict;
import dev.headway.api.request.RequestView;
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

  private final KvCacheShape shape;
  private final int blockSize;
  private final int maxModelLen;
  private final boolean caching;
  private final boolean fenced;
  private final PrefixIndex index;
  private final BlockPool pool;
  private final PagedPrefixes prefixes;
  private final StepTrust trust;
  private final @Nullable HostTier host;
  private final @Nullable HostHits hostHits;
  private int sequencesWithBlocks;
  private int neededBlocks;

  private PagedKvCacheManager(Builder builder) {
    shape = builder.shape;
    blockSize = shape.blockSize();
    maxModelLen = builder.maxModelLen;
    caching = builder.prefixCaching == PrefixCaching.ENABLED;
    fenced = builder.compatibility == Compatibility.HEADWAY;
    final int blocks = shape.numBlocks();
    final int hostBlocks = builder.offload.hostBlocks();
    final int contents = caching ? Math.addExact(blocks, hostBlocks) : 1;
    index = new PrefixIndex(blocks, contents, blockSize, builder.hasher);
    pool = new BlockPool(blocks, index, builder.listener);
    trust = caching ? StepTrust.watching(blocks) : StepTrust.blind();
    if (hostBlocks > 0) {
      host = new HostTier(hostBlocks, index, trust.writers());
      hostHits = new HostHits(host, index, pool, trust, builder.listener, blockSize);
      pool.saveTo(host);
    } else {
      host = null;
      hostHits = null;
    }
    prefixes =
        new PagedPrefixes(
            index,
            builder.hasher,
            pool,
            trust,
            hostHits,
            builder.speculation,
            builder.listener,
            blockSize);
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
    final PagedSequence seq = new PagedSequence(trust.newTenure(), request, root, blockSize);
    if (host != null) {
      seq.reserveHostBlocks(shape.blocksFor(request.promptTokens()));
    }
    return seq;
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
  public void beginStep(long stepId) {
    trust.beginStep(stepId);
    if (host != null) {
      host.beginStep(stepId);
    }
  }

  @Override
  public int match(KvSequence sequence) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (!caching) {
      return 0;
    }
    prefixes.find(seq);
    return seq.matchedBlocks * blockSize;
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
    trust.admits(seq.tenure);
    holdHits(seq, hits);
    reserve(seq, CacheRoom.mostTokens(seq.request, lookaheadTokens, maxModelLen));
    seq.count = hits;
    seq.cachedBlocks = hits;
    if (hostHits != null && seq.matchedLoads > 0) {
      hostHits.load(seq, hits);
    }
    take(seq, fresh);
    sequencesWithBlocks++;
    register(seq, computed + newTokens, trust.step());
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
    register(seq, computed, trust.step());
    return KvVerdict.ALLOCATED;
  }

  @Override
  public int neededBlocks() {
    return neededBlocks;
  }

  @Override
  public void cache(KvSequence sequence, int computedTokens) {
    register((PagedSequence) sequence, computedTokens, BlockWriters.ANSWERED);
  }

  @Override
  public void forget(KvSequence sequence, int computedTokens) {
    final PagedSequence seq = (PagedSequence) sequence;
    prefixes.forget(seq, computedTokens);
    settle(seq);
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
  public void endStep(KvBlockWork work) {
    if (host != null) {
      host.handOver(work);
    }
  }

  @Override
  public void acknowledge(long stepId) {
    pool.acknowledge(stepId);
  }

  @Override
  public void confirm(long stepId) {
    trust.settle(stepId);
    if (host != null) {
      host.confirm(stepId);
    }
  }

  @Override
  public boolean restsOn(KvSequence sequence, long stepId) {
    return trust.restsOn(((PagedSequence) sequence).tenure, stepId);
  }

  @Override
  public boolean restsOn(KvSequence sequence, KvSequence writer, long stepId) {
    return trust.restsOn(
        ((PagedSequence) sequence).tenure, ((PagedSequence) writer).tenure, stepId);
  }

  @Override
  public void distrust(long stepId) {
    trust.distrust(stepId, pool);
    if (host != null) {
      host.dropUnconfirmed();
    }
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
      if (!seq.isToLoad(i) && pool.isFree(seq.blocks[i])) {
        count++;
      }
    }
    return count;
  }

  /** Nothing that was found can be given up for what is taken from now on. */
  private void holdHits(PagedSequence seq, int hits) {
    for (int i = 0; i < hits; i++) {
      if (!seq.isToLoad(i)) {
        trust.finds(seq.tenure, seq.blocks[i]);
        pool.share(seq.blocks[i]);
      } else if (hostHits != null) {
        hostHits.keep(seq, i);
      }
    }
  }

  /** Makes room for the whole sequence, so that growing and resuming it allocates nothing. */
  private void reserve(PagedSequence seq, int mostTokens) {
    final int most = shape.blocksFor(mostTokens);
    seq.reserve(most);
    if (host != null) {
      seq.reserveHostBlocks(most);
    }
  }

  private void take(PagedSequence seq, int fresh) {
    seq.ensureCapacity(seq.count + fresh);
    for (int i = 0; i < fresh; i++) {
      seq.blocks[seq.count++] = pool.take();
    }
  }

  private void register(PagedSequence seq, int computed, long writer) {
    if (caching) {
      prefixes.register(seq, computed, writer);
    }
    settle(seq);
  }

  /** Finds out up to where the sequence needs neither a block nor a place in the index. */
  private void settle(PagedSequence seq) {
    final int room = seq.count * blockSize;
    seq.quietTokens = caching ? Math.min(room, prefixes.quietTokens(seq)) : room;
  }

  /** Collects the options of a manager. Not thread-safe. */
  public static final class Builder {

    private final KvCacheShape shape;
    private final int maxModelLen;
    private PrefixCaching prefixCaching = PrefixCaching.ENABLED;
    private Compatibility compatibility = Compatibility.HEADWAY;
    private SpeculationOptions speculation = SpeculationOptions.NONE;
    private BlockHasher hasher = BlockHasher.randomKey();
    private KvCacheListener listener = new KvCacheListener() {};
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
