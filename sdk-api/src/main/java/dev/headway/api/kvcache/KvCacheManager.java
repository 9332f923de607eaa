package dev.headway.api.kvcache;

import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestView;
import org.jspecify.annotations.Nullable;

/**
 * Owns the KV blocks: finds the cached prefix of a request, allocates blocks for it or reports what
 * is missing, and releases them. Engine thread only; never blocks; after {@link #open} nothing
 * allocates memory once warm.
 *
 * <p>At every moment {@code freeBlocks + pinnedBlocks + quarantinedBlocks + blocks held by
 * sequences == usable blocks}, a shared block counted once. Calls come in this order:
 *
 * <pre>{@code
 * open                                                                       once per request
 *   beginStep ( lookup, alignChunk?, allocate | alignChunk?, (extend | readmit) | release )* endStep   per step
 *   ( commit | stepFailed, release )* stepEnded                              when it is answered
 * close                                                                      once per request
 * }</pre>
 *
 * <p>{@link #acknowledge} comes when the step can no longer write, which may be before or after its
 * {@link #stepEnded}: an executor runs steps in order, so the default scheduler, when it plans a
 * step while others are out, acknowledges all before it. Both orders must work.
 *
 * <p>The defaults are those of a cache that finds no prefixes: one that does overrides {@link
 * #lookup}, {@link #commit}, {@link #reset}, {@link #blocksGained} and {@link #stepFailed}.
 *
 * <p>Several steps may be planned before the oldest is answered; they are answered in order. {@code
 * KvCacheContract} in {@code headway-testkit} checks an implementation.
 */
public interface KvCacheManager {

  /** Size of the cache. */
  KvCacheShape shape();

  /**
   * Starts an empty block table for a request. The view must stay readable as long as the sequence
   * is used; its known tokens are read when blocks become full.
   */
  KvSequence open(RequestView request);

  /**
   * Closes a sequence; it cannot be used afterwards.
   *
   * @throws IllegalStateException if it holds blocks
   */
  default void close(KvSequence sequence) {
    for (int group = 0; group < sequence.groupCount(); group++) {
      if (sequence.blockCount(group) > 0) {
        throw new IllegalStateException(
            "blocks must be released before close: group="
                + group
                + ", blocks="
                + sequence.blockCount(group));
      }
    }
  }

  /** A step is about to be planned; what follows belongs to it until {@link #endStep}. */
  default void beginStep(long stepId) {}

  /**
   * A step was planned: reports the block operations that the executor must perform before the step
   * runs. Called once per step, last.
   */
  default void endStep(KvBlockWork work) {}

  /**
   * Looks up the longest cached prefix of the sequence's known tokens, never the last known token
   * (it must be computed to sample from it). The result is remembered for the next {@link
   * #allocate} of this sequence. Takes no blocks.
   *
   * @param sequence one that holds no blocks
   * @return tokens of the prefix, a multiple of the match unit, >= 0; 0 when caching is off or the
   *     request skips it
   */
  default int lookup(KvSequence sequence) {
    return 0;
  }

  /**
   * Shortens a chunk so that it ends where the cache can keep a state: at a block boundary or where
   * a known prefix branches off. Only groups with recurrent states need this.
   *
   * @param startTokens tokens before the chunk
   * @param newTokens tokens of the chunk, >= 1
   * @param largestChunk most tokens a request can get in a step
   * @return tokens of the chunk, in [0, newTokens]; 0 if no aligned chunk fits
   */
  default int alignChunk(KvSequence sequence, int startTokens, int newTokens, int largestChunk) {
    return newTokens;
  }

  /**
   * Allocates the blocks of a waiting request: those found by {@link #lookup} and new ones for
   * {@code newTokens} tokens behind them. A manager may make full blocks findable at once, before
   * their KV is computed: a request that hits them is scheduled in the same step or later. Draft
   * tokens are never findable.
   *
   * @param newTokens tokens to compute in this step, >= 1
   * @param lookaheadTokens more slots for tokens that a speculative executor may write, >= 0
   * @param reserveTokens tokens that must fit altogether before anything is taken (at least the
   *     matched and new ones); 0 for no such gate
   * @param watermarkBlocks blocks that must stay free, >= 0
   * @return the result; nothing has changed unless allocated. Valid until the next allocation
   */
  Allocation allocate(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks);

  /**
   * Allocates blocks of a running request for {@code newTokens} more tokens. Blocks that have left
   * a window, judged by processed tokens, are released first, whatever the result.
   *
   * @param computedTokens tokens it has computed or scheduled so far
   * @param newTokens tokens to compute in this step, >= 1
   * @param lookaheadTokens more slots for tokens that a speculative executor may write, >= 0
   * @return {@link Allocation.Status#ALLOCATED} or {@link Allocation.Status#BLOCKS_SHORT}; with the
   *     latter nothing has changed but the release. Valid until the next allocation
   */
  Allocation extend(KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens);

  /**
   * As {@link #extend}, for a request that is admitted again with the blocks it has kept; refuses
   * as {@link #allocate} does. A manager that does not override this keeps neither reserve nor
   * watermark for it.
   *
   * @param reserveTokens as for {@link #allocate}
   * @param watermarkBlocks as for {@link #allocate}
   */
  default Allocation readmit(
      KvSequence sequence,
      int computedTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks) {
    return extend(sequence, computedTokens, newTokens, lookaheadTokens);
  }

  /**
   * Makes the full blocks of the first {@code computedTokens} tokens findable: for tokens that
   * became known only after their step was planned.
   *
   * @param computedTokens leading tokens that are known, and computed or scheduled to be: tokens of
   *     steps that are still out count, if their ids are known
   */
  default void commit(KvSequence sequence, int computedTokens) {}

  /**
   * Releases all blocks of the sequence; it is empty afterwards and can be allocated for again.
   * Blocks that an unacknowledged step may still write stay in quarantine until {@link
   * #acknowledge}.
   *
   * @param computedTokens leading tokens whose KV was computed, or will be by steps that are out:
   *     blocks with tokens behind them are no longer findable. Fewer than were allocated for after
   *     a step that failed or was taken back
   * @param lastStepId the newest step that has scheduled the request; 0 if none has
   * @return number of blocks released
   */
  int release(KvSequence sequence, int computedTokens, long lastStepId);

  /**
   * Blocks that would be free for {@code waiting} at once if {@code holding} was released now:
   * those that no other sequence holds and no step can write any more, except those that the latest
   * lookup of {@code waiting} has found, which it needs as they are. Negative if the release would
   * take back some of what that lookup has found, and {@code waiting} could need more than it
   * gains. Changes nothing.
   *
   * <p>This counts all that {@code holding} has, which is too many where sequences share blocks or
   * a step may still write.
   *
   * @param computedTokens leading tokens of {@code holding} that {@link #release} would keep
   *     findable: without a chunk that is planned in this step
   * @param lastStepId the newest step that has scheduled its request, the one being planned
   *     excluded; 0 if none has
   */
  default int blocksGained(
      KvSequence holding, int computedTokens, long lastStepId, KvSequence waiting) {
    int blocks = 0;
    for (int group = 0; group < holding.groupCount(); group++) {
      for (int i = 0; i < holding.blockCount(group); i++) {
        blocks += holding.blockId(group, i) == 0 ? 0 : 1;
      }
    }
    return blocks;
  }

  /**
   * Step {@code stepId}, the oldest that is out, failed: as a whole, or for one request. The caller
   * releases the sequences that depend on it, and the request's own, before {@link #stepEnded}.
   *
   * <p>A sequence depends on it if it was allocated for when its prefix was to be written or loaded
   * by that step, or by another dependent sequence: its results depend on KV that was never
   * computed. A manager that makes blocks findable only after their step has ended has no
   * dependents and nothing to invalidate.
   *
   * @param failed the sequence the step failed for, which may have been released and closed since;
   *     later writes for it beyond that point count as failed too. Null if the step failed as a
   *     whole: then everything that it was to write or load counts as failed
   * @param dependents receives the dependent sequences that still hold blocks, except {@code
   *     failed}
   */
  default void stepFailed(long stepId, @Nullable KvSequence failed, KvDependents dependents) {}

  /**
   * Step {@code stepId}, the oldest that is out, is over. Called once for every step, in their
   * order, empty ones included. What it was to do to blocks is done, and what it saved to the host
   * tier can be found; unless it {@linkplain #stepFailed failed}: then contents that it or a later
   * step was to write to blocks that no sequence holds are forgotten, and all that steps still out
   * were to save to the host tier.
   */
  default void stepEnded(long stepId) {}

  /**
   * Acknowledges that no step up to {@code stepId} writes KV any more, so its blocks can be reused.
   */
  void acknowledge(long stepId);

  /**
   * Changes how long the blocks are kept that the latest {@link #lookup} of {@code sequence} has
   * found, as if that request had asked for it. Changes nothing else.
   *
   * @throws UnsupportedOperationException if the cache keeps all blocks alike
   */
  default void retain(KvSequence sequence, KvCacheRetention retention) {
    throw new UnsupportedOperationException(
        "the KV cache must override retain to keep blocks by priority: cache="
            + getClass().getName());
  }

  /**
   * Whether requests may ask for how long their blocks are kept, see {@link #retain}; others are
   * rejected.
   */
  default boolean retainsByPriority() {
    return false;
  }

  /**
   * Clears the prefix cache, in the host tier too; pinned blocks are free again.
   *
   * @return whether that was possible: it is refused while any block is held or in quarantine
   */
  default boolean reset() {
    return freeBlocks() == shape().usableBlocks();
  }

  /** Blocks that can be taken now; includes cached blocks that no sequence holds. */
  int freeBlocks();

  /** Blocks that no sequence holds and that cannot be taken, since a request has pinned them. */
  default int pinnedBlocks() {
    return 0;
  }

  /** Released blocks that an unacknowledged step may still write. */
  int quarantinedBlocks();

  /**
   * How long sampled blocks stayed; of nothing for a cache that does not measure it. Any thread.
   */
  default KvResidency residency() {
    return KvResidency.NONE;
  }

  /**
   * How it holds tokens whose KV a connector loads; null if it cannot, and an engine with a
   * connector is refused. Asked for by an engine with a connector only, before it opens a sequence.
   */
  default @Nullable ExternalKv external() {
    return null;
  }

  /**
   * Leading blocks of the sequence in {@code group} that every sequence with blocks shares: what a
   * cascade attention kernel may compute once. 0 when caching is off, and for groups that do not
   * keep the whole context.
   */
  default int commonPrefixBlocks(KvSequence sequence, int group) {
    return 0;
  }
}
