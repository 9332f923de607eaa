package dev.headway.kvcache;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Paged KV cache with prefix caching and least-recently-used eviction, for models whose layers all
 * attend to the whole context.
 *
 * <p>One thread, the engine's. Nothing but {@link #open} allocates once warm. A demand is answered
 * by an {@link Allocation} before anything is changed, so a refusal leaves no trace.
 *
 * <p>With {@link KvOffloadOptions} what is evicted moves on to host memory, and a lookup goes on
 * there: see {@link HostTier}.
 */
public final class PagedKvCacheManager extends PooledKvCache {

  private final int blockSize;
  private final boolean caching;
  private final PrefixIndex index;
  private final BlockHashChain.Factory chains;

  /** Scratch for the tokens of a block. */
  private final int[] blockTokens;

  private final PagedPrefixes prefixes;
  private final @Nullable HostTier host;
  private final @Nullable HostHits hostHits;

  PagedKvCacheManager(KvCacheManagers.Builder options) {
    this(options, newIndex(options));
  }

  private PagedKvCacheManager(KvCacheManagers.Builder options, PrefixIndex index) {
    super(options, index, isCaching(options));
    this.index = index;
    blockSize = shape.blockSize();
    blockTokens = new int[blockSize];
    caching = isCaching(options);
    chains = caching ? options.hasher.chains(blockSize) : BlockHashChain.NONE;
    final int hostBlocks = options.offload.hostBlocks();
    if (hostBlocks > 0) {
      host = new HostTier(hostBlocks, index, dependencies.writers());
      hostHits = new HostHits(host, index, pool, dependencies, events, blockSize);
      pool.saveTo(host);
    } else {
      host = null;
      hostHits = null;
    }
    prefixes =
        new PagedPrefixes(
            index, pool, dependencies, hostHits, options.speculation, events, blockTokens);
  }

  private static PrefixIndex newIndex(KvCacheManagers.Builder options) {
    final int blocks = options.shape.numBlocks();
    final int contents =
        isCaching(options) ? Math.addExact(blocks, options.offload.hostBlocks()) : 1;
    return new PrefixIndex(blocks, contents, options.shape.blockSize());
  }

  private static boolean isCaching(KvCacheManagers.Builder options) {
    return options.prefixCache.isEnabled();
  }

  @Override
  SequenceEpoch epochOf(KvSequence sequence) {
    return ((PagedSequence) sequence).epoch;
  }

  @Override
  public KvSequence open(RequestView request) {
    final int root =
        caching ? index.acquireRoot(PrefixScope.of(request.request())) : PrefixIndex.NONE;
    final SequenceEpoch epoch = dependencies.newEpoch();
    final PagedSequence seq = new PagedSequence(epoch, request, root, chains, blockTokens);
    seq.wishes = caching ? wishesOf(request) : null;
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
    if (seq.wasAdmitted) { // otherwise no other sequence can remember it
      seq.epoch.close();
    }
  }

  @Override
  public void beginStep(long stepId) {
    super.beginStep(stepId);
    if (host != null) {
      host.beginStep(stepId);
    }
  }

  @Override
  public int lookup(KvSequence sequence) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (!caching) {
      return 0;
    }
    prefixes.find(seq);
    return seq.matchedBlocks * blockSize;
  }

  @Override
  public Allocation allocate(
      KvSequence sequence,
      int externalTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int tokens = seq.matchedBlocks * blockSize + externalTokens + newTokens;
    final Allocation answer =
        admit(seq, tokens, lookaheadTokens, reserveTokens, watermarkBlocks, 0);
    if (answer.isAllocated()) {
      register(seq, tokens, dependencies.step());
    }
    return answer;
  }

  @Override
  public Allocation load(
      KvSequence sequence,
      int externalTokens,
      int reserveTokens,
      int watermarkBlocks,
      int reservedBlocks) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int tokens = seq.matchedBlocks * blockSize + externalTokens;
    final Allocation answer = admit(seq, tokens, 0, reserveTokens, watermarkBlocks, reservedBlocks);
    if (answer.isAllocated()) {
      settle(seq);
    }
    return answer;
  }

  /** Takes what the lookup has found, and blocks for the rest of {@code tokens} tokens. */
  private Allocation admit(
      PagedSequence seq,
      int tokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks,
      int reservedBlocks) {
    final int hits = seq.matchedBlocks;
    final int revived = countFree(seq, hits) + seq.matchedLoads;
    if (reserveTokens > 0) {
      final int whole = missing(Math.min(reserveTokens, maxModelLen), hits) + revived;
      final Allocation gate =
          judge(seq, whole, watermarkBlocks, Allocation.Status.FULL_SEQUENCE_SHORT);
      if (!gate.isAllocated()) {
        return refusedAdmission(gate);
      }
    }
    final int fresh = missing(Math.min(tokens + lookaheadTokens, maxModelLen), hits);
    final Allocation answer =
        judge(fresh + revived, watermarkBlocks, reservedBlocks, Allocation.Status.BLOCKS_SHORT)
            .withHostTokens(seq.matchedLoads * blockSize);
    if (!answer.isAllocated()) {
      return refusedAdmission(answer);
    }
    dependencies.admits(seq, seq.epoch);
    seq.wasAdmitted = true;
    holdHits(seq, hits);
    reserve(seq, mostTokens(seq.request, lookaheadTokens));
    seq.count = hits;
    seq.cachedBlocks = hits;
    if (hostHits != null && seq.matchedLoads > 0) {
      hostHits.load(seq, hits);
    }
    take(seq, fresh);
    countHolder(1);
    if (seq.wishes != null) {
      seq.wishes.tellAll(seq.blocks, 0, hits, blockSize);
    }
    return answer;
  }

  @Override
  public Allocation readmit(
      KvSequence sequence,
      int computedTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (reserveTokens > 0) {
      final int whole = missing(Math.min(reserveTokens, maxModelLen), seq.count);
      final Allocation gate = judge(whole, watermarkBlocks, Allocation.Status.FULL_SEQUENCE_SHORT);
      if (!gate.isAllocated()) {
        return gate;
      }
    }
    final int computed = computedTokens + newTokens;
    final int slots = Math.min(computed + lookaheadTokens, maxModelLen);
    final int fresh = missing(slots, seq.count);
    yieldPins(fresh);
    final Allocation answer = judge(fresh, watermarkBlocks, Allocation.Status.BLOCKS_SHORT);
    if (answer.isAllocated()) {
      take(seq, fresh);
      register(seq, computed, dependencies.step());
    }
    return answer;
  }

  @Override
  void tellFound(KvSequence sequence, KvCacheRetention retention) {
    final PagedSequence seq = (PagedSequence) sequence;
    new RetentionWishes(pool, seq.request, retention)
        .tellAll(seq.blocks, 0, seq.matchedBlocks, blockSize); // of the host's there is no block
  }

  @Override
  public void commit(KvSequence sequence, int computedTokens) {
    register((PagedSequence) sequence, computedTokens, BlockWriters.ANSWERED);
  }

  @Override
  public int release(KvSequence sequence, int computedTokens, long lastStepId) {
    final PagedSequence seq = (PagedSequence) sequence;
    final int released = seq.count;
    if (released == 0) {
      return 0;
    }
    prefixes.forget(seq, computedTokens);
    pool.giveBackAfter(lastStepId, seq.blocks, released);
    seq.clear();
    countHolder(-1);
    return released;
  }

  @Override
  public int missingBlocks(KvSequence sequence, int tokens) {
    return missing(Math.min(tokens, maxModelLen), ((PagedSequence) sequence).count);
  }

  @Override
  public void forget(KvSequence sequence, int computedTokens) {
    prefixes.forget((PagedSequence) sequence, computedTokens);
  }

  /** Nothing leaves: all layers attend to the whole context. */
  @Override
  public void leaveWindows(KvSequence sequence, int computedTokens) {}

  @Override
  public int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    if (!pool.isAcknowledged(lastStepId)) {
      return 0;
    }
    final PagedSequence seq = (PagedSequence) holding;
    final PagedSequence found = (PagedSequence) waiting;
    final int sure = prefixes.sureBlocks(seq, computedTokens);
    int gained = 0;
    for (int i = 0; i < seq.count; i++) {
      final boolean wanted = i < found.matchedBlocks && found.blocks[i] == seq.blocks[i];
      final boolean freed = pool.isHeldOnce(seq.blocks[i]);
      if (wanted && i >= sure && !freed) {
        return -1; // no longer findable, and not free to be computed again either
      }
      gained += freed && !wanted ? 1 : 0;
    }
    return gained;
  }

  @Override
  public void endStep(KvBlockWork work) {
    if (host != null) {
      host.handOver(work);
    }
  }

  @Override
  public void stepEnded(long stepId) {
    super.stepEnded(stepId);
    if (host != null) {
      if (hasFailed(stepId)) {
        host.dropUnconfirmed();
      }
      host.confirm(stepId);
    }
  }

  @Override
  public boolean reset() {
    final boolean done = super.reset();
    if (done && host != null) {
      host.clear();
    }
    return done;
  }

  @Override
  public int usedHostBlocks() {
    return host == null ? 0 : host.usedBlocks();
  }

  @Override
  public int cachedContents() {
    return index.contentsWithBlocks();
  }

  @Override
  int prefixCapacity() {
    return index.contentCapacity();
  }

  @Override
  public int commonPrefixBlocks(KvSequence sequence, int group) {
    final PagedSequence seq = (PagedSequence) sequence;
    if (!caching || hasOneHolder()) {
      return caching ? seq.count : 0;
    }
    return heldByAll(seq.blocks, seq.count);
  }

  private Allocation judge(
      PagedSequence seq, int demand, int watermarkBlocks, Allocation.Status shortage) {
    return judge(demand, watermarkBlocks, shortage).withHostTokens(seq.matchedLoads * blockSize);
  }

  private int missing(int slots, int owned) {
    return Math.max(0, (slots + blockSize - 1) / blockSize - owned);
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
        dependencies.finds(seq.epoch, seq.blocks[i]);
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
    pool.take(fresh, seq.blocks, seq.count);
    seq.count += fresh;
  }

  private void register(PagedSequence seq, int computed, long writer) {
    if (caching) {
      final int known = seq.cachedBlocks;
      prefixes.register(seq, computed, writer);
      if (seq.wishes != null) {
        seq.wishes.tellAll(seq.blocks, known, seq.cachedBlocks, blockSize);
      }
    }
    settle(seq);
  }

  /** Finds out up to where the sequence needs neither a block nor a place in the index. */
  private void settle(PagedSequence seq) {
    final int room = seq.count * blockSize;
    seq.allocatedThrough = caching ? Math.min(room, prefixes.registeredThrough(seq)) : room;
  }
}
