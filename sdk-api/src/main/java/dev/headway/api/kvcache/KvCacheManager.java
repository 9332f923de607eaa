package dev.headway.api.kvcache;

import dev.headway.api.request.RequestView;

/**
 * Owns the KV blocks. Engine thread only; never blocks; after {@link #open} nothing allocates
 * memory once warm.
 *
 * <p>At every moment {@code freeBlocks + quarantinedBlocks + blocks held by sequences == usable
 * blocks}, a shared block counted once.
 */
public interface KvCacheManager {

  /** Size of the cache. */
  KvCacheShape shape();

  /**
   * Starts an empty block table for a request. The view must stay readable as long as the sequence
   * is used; its known tokens are read when blocks become full.
   */
  KvSequence open(RequestView request);

  /** A step is about to be planned; what follows belongs to it until {@link #endStep}. */
  default void beginStep(long stepId) {}

  /**
   * Looks up the longest cached prefix of the sequence's known tokens, never the last known token
   * (it must be computed to sample from it). The result is remembered for the next {@link #admit}
   * of this sequence. Takes no blocks.
   *
   * @param sequence one that holds no blocks
   * @return tokens of the prefix, a multiple of the match unit, >= 0; 0 when caching is off or the
   *     request skips it
   */
  int match(KvSequence sequence);

  /**
   * Shortens a chunk so that it ends where the cache can keep a state: at a block boundary or where
   * a known prefix branches off. Only groups with recurrent states ask for that.
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
   * Gives a waiting request its blocks: those found by {@link #match} and new ones for {@code
   * newTokens} tokens behind them. Full blocks become findable at once, before their KV is
   * computed: whoever hits them is scheduled in the same step or later. Draft tokens are never
   * findable.
   *
   * @param newTokens tokens to compute in this step, >= 1
   * @param lookaheadTokens more slots for tokens that a speculative executor may write, >= 0
   * @param reserveTokens tokens that must fit altogether before anything is taken (at least the
   *     matched and new ones); 0 for no such gate
   * @param watermarkBlocks blocks that must stay free, >= 0
   * @return whether it got them; otherwise nothing has changed
   */
  KvVerdict admit(
      KvSequence sequence,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks);

  /**
   * Gives a running request blocks for {@code newTokens} more tokens. Blocks that left a window, as
   * far as processed tokens tell, are given back first, whatever the answer.
   *
   * @param computedTokens tokens it has computed or scheduled so far
   * @param newTokens tokens to compute in this step, >= 1
   * @param lookaheadTokens more slots for tokens that a speculative executor may write, >= 0
   * @return {@link KvVerdict#ALLOCATED} or {@link KvVerdict#BLOCKS_SHORT}; then nothing has changed
   */
  KvVerdict grow(KvSequence sequence, int computedTokens, int newTokens, int lookaheadTokens);

  /**
   * Makes the full blocks of the first {@code computedTokens} tokens findable: for tokens that
   * became known only after their step was planned.
   */
  void cache(KvSequence sequence, int computedTokens);

  /**
   * Says that only the first {@code computedTokens} tokens of the sequence are sure to be computed:
   * its blocks beyond them are no longer findable. For a step that failed or was taken back, since
   * blocks become findable when they are planned. The sequence keeps its blocks.
   *
   * @param computedTokens tokens whose KV is there, in [0, tokens of the block table]
   */
  void forget(KvSequence sequence, int computedTokens);

  /**
   * Tokens of the prefix that the latest {@link #match} of this sequence found in the host tier
   * only: {@link #admit} has their blocks loaded. 0 without such a tier.
   */
  default int hostTokens(KvSequence sequence) {
    return 0;
  }

  /** Blocks that the latest {@link #admit} or {@link #grow} asked of the free ones. */
  int neededBlocks();

  /**
   * Gives all blocks of the sequence back; it is empty afterwards and can be admitted again. Blocks
   * that an unacknowledged step may still write stay in quarantine until {@link #acknowledge}.
   *
   * @param lastStepId the newest step that has scheduled the request; 0 if none has
   * @return blocks the sequence let go of
   */
  int release(KvSequence sequence, long lastStepId);

  /** Ends a sequence that holds no blocks; it must not be used again. */
  void close(KvSequence sequence);

  /** Says that no step up to {@code stepId} writes KV any more, so its blocks can be reused. */
  void acknowledge(long stepId);

  /**
   * Says that a step ran as planned: what it was to do to blocks is done. Called in step order for
   * every step that is not {@link #distrust}ed, empty ones included, or the cache keeps record of
   * who has found what without end. What a step has saved to the host tier can be found from then
   * on.
   */
  default void confirm(long stepId) {}

  /**
   * Whether the sequence, when it was admitted, has found what step {@code stepId} was to compute
   * or to load, or what others have built on that: it has nothing to stand on if the step failed.
   * Asked of the oldest step that is out, before it is confirmed or distrusted. A cache in which
   * nothing is found answers false.
   */
  default boolean restsOn(KvSequence sequence, long stepId) {
    return false;
  }

  /**
   * As {@link #restsOn(KvSequence, long)}, of what the step was to write for {@code writer} only,
   * which was scheduled in it and may have been released and closed since; what later steps write
   * for it behind that counts too.
   */
  default boolean restsOn(KvSequence sequence, KvSequence writer, long stepId) {
    return false;
  }

  /**
   * Says that step {@code stepId} failed, as a whole or for a request: findable contents that it or
   * a later step was to write to blocks that no sequence holds are forgotten, and all that steps
   * not yet confirmed were to save to the host tier. Called after the requests that {@link
   * #restsOn} it were ended.
   */
  default void distrust(long stepId) {}

  /** Blocks of the host tier; 0 without one. */
  default int hostBlocks() {
    return 0;
  }

  /** Host blocks that hold a content, those included whose save is under way. */
  default int usedHostBlocks() {
    return 0;
  }

  /**
   * Forgets every cached prefix, in the host tier too.
   *
   * @return whether that was possible: it is refused while any block is held or in quarantine
   */
  boolean reset();

  /** Blocks that can be taken now; cached blocks that nobody holds are among them. */
  int freeBlocks();

  /** Blocks given back that an unacknowledged step may still write. */
  int quarantinedBlocks();

  /** Blocks held or in quarantine: usable - free. */
  default int usedBlocks() {
    return shape().usableBlocks() - freeBlocks();
  }

  /** Distinct block contents that a lookup could find on the device now. */
  int cachedContents();

  /**
   * Leading blocks of the sequence in {@code group} that every sequence with blocks shares: what a
   * cascade attention kernel may compute once. 0 when caching is off, and for groups that do not
   * keep the whole context.
   */
  int commonPrefixBlocks(KvSequence sequence, int group);

  /**
   * A step was planned: hands over what the executor must do to blocks before the step runs. Called
   * once per step, last.
   */
  default void endStep(KvBlockWork work) {}
}
