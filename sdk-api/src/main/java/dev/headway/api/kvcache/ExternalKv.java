package dev.headway.api.kvcache;

/**
 * What a KV cache does for tokens that are not computed here but loaded. A part of a {@code
 * KvCacheManager}, with its rules: engine thread only, never blocks, allocates nothing once warm.
 */
public interface ExternalKv {

  /**
   * As {@code KvCacheManager.allocate}, with tokens between the cached and the new ones that are
   * loaded in this step: their full blocks can be found like computed ones.
   *
   * @param externalTokens tokens behind those that the latest lookup has found, >= 0
   * @param newTokens tokens to compute in this step, >= 1
   * @return the result; nothing has changed unless allocated. Valid until the next allocation
   */
  Allocation allocate(
      KvSequence sequence,
      int externalTokens,
      int newTokens,
      int lookaheadTokens,
      int reserveTokens,
      int watermarkBlocks);

  /**
   * Allocates for tokens that are loaded between steps: nothing behind the cached ones can be found
   * until {@code KvCacheManager.commit}. The request goes on by {@code KvCacheManager.readmit}.
   *
   * @param externalTokens tokens behind those that the latest lookup has found, >= 1
   * @param reserveTokens tokens that must fit altogether; 0 for no such gate
   * @param watermarkBlocks blocks that must stay free
   * @param reservedBlocks more blocks that must stay free, which the gate does not count
   * @return as {@link #allocate}; {@link Allocation.Status#RESERVED_SHORT} if only those are
   *     lacking
   */
  Allocation load(
      KvSequence sequence,
      int externalTokens,
      int reserveTokens,
      int watermarkBlocks,
      int reservedBlocks);

  /** Blocks that the sequence lacks to hold {@code tokens} tokens, without lookahead. */
  int missingBlocks(KvSequence sequence, int tokens);

  /**
   * Makes what lies behind the first {@code computedTokens} tokens not findable, in shared blocks
   * too; the sequence keeps its blocks.
   */
  void forget(KvSequence sequence, int computedTokens);

  /**
   * Gives back the blocks that have left a window, judged by processed tokens.
   *
   * @param computedTokens tokens computed or scheduled so far
   */
  void leaveWindows(KvSequence sequence, int computedTokens);
}
