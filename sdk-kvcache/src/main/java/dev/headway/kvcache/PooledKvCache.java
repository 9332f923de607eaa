package dev.headway.kvcache;

import dev.headway.api.config.Compatibility;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.kvcache.ExternalKv;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvDependents;
import dev.headway.api.kvcache.KvResidency;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What both managers have in common: one pool of blocks behind a step fence, the answer to a demand
 * for them, and dependencies on steps in flight. Made by {@link KvCacheManagers}.
 *
 * <p>One thread, the engine's; allocates nothing once warm. Figures for tests and diagnosis are
 * public here; what an engine needs is in {@link KvCacheManager}.
 */
public abstract sealed class PooledKvCache implements KvCacheManager, ExternalKv
    permits PagedKvCacheManager, GroupedKvCacheManager {

  private static final long NO_STEP = -1;

  /** Steps that may be scheduled beyond the last token before its output is known. */
  private static final int STEPS_BEYOND = 4;

  final KvCacheShape shape;
  final int maxModelLen;
  final BlockPool pool;
  final KvCacheEvents events;
  final InFlightDependencies dependencies;
  final boolean fenced;
  private final boolean isCaching;
  private final EvictionPolicy eviction;
  private final LongSupplier clock;
  private final int mostPinned;
  private final @Nullable BlockResidency residency;

  /** Whether a block that is given back may be loaded into at once, not ordered behind steps. */
  private boolean isLoadedFromOutside;

  /** Whether what is pinned is given up in the next step. */
  private boolean pinsYield;

  private final Allocation allocation = new Allocation();
  private long failedStep = NO_STEP;
  private int sequencesWithBlocks;

  PooledKvCache(KvCacheManagers.Builder options, BlockContents contents, boolean caching) {
    shape = options.shape;
    maxModelLen = options.maxModelLen;
    fenced = options.compatibility == Compatibility.HEADWAY;
    final int blocks = shape.numBlocks();
    events = new KvCacheEvents(options.listener);
    pool = new BlockPool(blocks, contents, events);
    isCaching = caching;
    eviction = options.eviction;
    clock = options.clock;
    mostPinned =
        Math.max(
            0,
            shape.usableBlocks()
                - shape.blocksToHold(maxModelLen, options.maxInFlightTokens, maxModelLen));
    if (caching && !eviction.equals(EvictionPolicy.LRU)) {
      pool.retainBy(eviction, clock, mostPinned);
    }
    residency = residencyOf(options, caching);
    if (residency != null) {
      pool.measure(residency);
    }
    dependencies = caching ? InFlightDependencies.tracking(blocks) : InFlightDependencies.none();
  }

  private static @Nullable BlockResidency residencyOf(
      KvCacheManagers.Builder options, boolean caching) {
    final double share = options.prefixCache.residencySample();
    return caching && share > 0
        ? new BlockResidency(options.shape.numBlocks(), share, options.clock)
        : null;
  }

  @Override
  public final KvResidency residency() {
    return residency == null ? KvResidency.NONE : residency.snapshot();
  }

  /** What is remembered of a sequence of this manager. */
  abstract SequenceEpoch epochOf(KvSequence sequence);

  @Override
  public final ExternalKv external() {
    isLoadedFromOutside = true;
    return this;
  }

  /** See {@link #external}; vLLM gives such blocks back all the same. */
  final boolean isLoadedFromOutside() {
    return isLoadedFromOutside && fenced;
  }

  @Override
  public final KvCacheShape shape() {
    return shape;
  }

  @Override
  public void beginStep(long stepId) {
    dependencies.beginStep(stepId);
    events.beginStep(stepId);
    if (pinsYield) {
      pinsYield = false;
      pool.unpin();
    }
    pool.expire();
  }

  @Override
  public final Allocation allocate(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    return allocate(sequence, 0, newTokens, lookaheadTokens, reserveTokens, watermarkBlocks);
  }

  @Override
  public final Allocation extend(
      KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens) {
    return readmit(sequence, computedTokens, newTokens, lookaheadTokens, 0, 0);
  }

  /** What a new request asks for its blocks, or null. */
  final @Nullable RetentionWishes wishesOf(RequestView request) {
    final KvCacheRetention retention = request.request().kvCacheRetention();
    if (retention == null) {
      return null;
    }
    makeRoomForWishes();
    return new RetentionWishes(pool, request, retention);
  }

  /**
   * Refuses an admission; if no other sequence can give blocks back, pinned ones are, next step.
   */
  final Allocation refusedAdmission(Allocation refusal) {
    pinsYield |= isStuckOnPins(0);
    return refusal;
  }

  /** Gives pinned blocks up if the only sequence that holds blocks lacks some. */
  final void yieldPins(int demand) {
    if (demand > pool.freeBlocks() && isStuckOnPins(1)) {
      pool.unpin();
    }
  }

  private boolean isStuckOnPins(int holders) {
    return pool.pinnedBlocks() > 0
        && sequencesWithBlocks == holders
        && pool.quarantinedBlocks() == 0;
  }

  private void makeRoomForWishes() {
    if (!pool.isRetaining()) {
      pool.retainBy(eviction, clock, mostPinned);
    }
  }

  @Override
  public final boolean retainsByPriority() {
    return isCaching;
  }

  @Override
  public final void retain(KvSequence sequence, KvCacheRetention retention) {
    makeRoomForWishes();
    tellFound(sequence, retention);
  }

  /** Says what is wished for the blocks that the latest lookup of a sequence has found. */
  abstract void tellFound(KvSequence sequence, KvCacheRetention retention);

  @Override
  public final int pinnedBlocks() {
    return pool.pinnedBlocks();
  }

  @Override
  public final void stepFailed(long stepId, @Nullable KvSequence failed, KvDependents dependents) {
    failedStep = stepId;
    dependencies.collectDependents(stepId, failed == null ? null : epochOf(failed), dependents);
  }

  @Override
  public void stepEnded(long stepId) {
    if (hasFailed(stepId)) {
      dependencies.forgetUnheld(stepId, pool);
    }
    dependencies.end(stepId);
  }

  /** Whether {@link #stepFailed} was called for step {@code stepId}. */
  final boolean hasFailed(long stepId) {
    return failedStep == stepId;
  }

  @Override
  public final void acknowledge(long stepId) {
    pool.acknowledge(stepId);
  }

  @Override
  public boolean reset() {
    if (pool.freeBlocks() + pool.pinnedBlocks() < shape.usableBlocks()) {
      return false;
    }
    pool.forgetContents();
    return true;
  }

  @Override
  public final int freeBlocks() {
    return pool.freeBlocks();
  }

  @Override
  public final int quarantinedBlocks() {
    return pool.quarantinedBlocks();
  }

  /** Distinct block contents that a lookup could find on the device now. */
  public abstract int cachedContents();

  /**
   * Prefixes there is room for. It doubles when all are in use, and never falls; requests that are
   * gone, and contents that no block holds, use none.
   */
  abstract int prefixCapacity();

  /** Host blocks that hold a content, those included whose save is under way; 0 without a tier. */
  public int usedHostBlocks() {
    return 0;
  }

  /** Blocks given back that a step may still write, run by run: its fence, its length. */
  public final long[][] quarantineInOrder() {
    return pool.quarantineInOrder();
  }

  /** Copies the free blocks in the order in which they will be taken. O(free blocks). */
  public final int[] freeBlocksInOrder() {
    return pool.freeBlocksInOrder();
  }

  /** How many of the first {@code count} blocks all sequences hold that have any. */
  final int heldByAll(int[] blocks, int count) {
    int held = 0;
    while (held < count && holders(blocks[held]) == sequencesWithBlocks) {
      held++;
    }
    return held;
  }

  /** vLLM counts what a request has given back, and a step that is out may write, as held. */
  private int holders(int block) {
    return fenced ? pool.holders(block) : pool.references(block);
  }

  /** Whether only one sequence has blocks, and nothing else holds any. */
  final boolean hasOneHolder() {
    return sequencesWithBlocks == 1 && (fenced || !pool.hasQuarantine());
  }

  /** Answers a demand for {@code demand} blocks; {@code shortage} if they are not there. */
  final Allocation judge(int demand, int watermarkBlocks, Allocation.Status shortage) {
    final int needed = Math.max(0, demand + watermarkBlocks);
    final int free = pool.freeBlocks();
    if (demand > free) {
      return allocation.answer(shortage, needed);
    }
    return allocation.answer(
        needed > free ? Allocation.Status.WATERMARK_SHORT : Allocation.Status.ALLOCATED, needed);
  }

  /** As the other, with more blocks that must stay free behind the watermark. */
  final Allocation judge(
      int demand, int watermarkBlocks, int reservedBlocks, Allocation.Status shortage) {
    final Allocation answer = judge(demand, watermarkBlocks, shortage);
    final int needed = answer.neededBlocks() + reservedBlocks;
    return reservedBlocks > 0 && answer.isAllocated() && needed > pool.freeBlocks()
        ? allocation.answer(Allocation.Status.RESERVED_SHORT, needed)
        : answer;
  }

  /** Refuses for another reason than blocks. */
  final Allocation refuse(Allocation.Status reason) {
    return allocation.answer(reason, 0);
  }

  /**
   * The most tokens a request can ever have slots for, drafts and lookahead included: with room for
   * them its tables grow step by step and allocate nothing.
   */
  final int mostTokens(RequestView request, int lookaheadTokens) {
    final long longest = (long) request.promptTokens() + request.request().stopRule().maxTokens();
    final long beyond = STEPS_BEYOND * (1L + lookaheadTokens);
    return (int) Math.min(longest + beyond, maxModelLen);
  }

  final void countHolder(int change) {
    sequencesWithBlocks += change;
  }

  /** Sequences that hold blocks. */
  final int sequencesWithBlocks() {
    return sequencesWithBlocks;
  }
}
