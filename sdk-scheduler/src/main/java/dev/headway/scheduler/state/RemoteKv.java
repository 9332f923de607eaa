package dev.headway.scheduler.state;

/** What a request has to do with the KV connector. Engine thread only. */
public final class RemoteKv {

  /** Where a load between steps is. */
  public enum Load {
    /** There is none. */
    NONE,
    /** It is out: the request has its blocks and waits. */
    OUT,
    /** It has ended, and admissions have not reached the request since. */
    RECEIVED
  }

  /** Its load between steps. */
  public Load load = Load.NONE;

  /** Tokens in front of those that it loads. */
  public int localTokens;

  /** Whether blocks of that load are known not to be there. */
  public boolean loadFailed;

  /**
   * Whether the connector is not asked again: a load for it has failed, or it gave the blocks back
   * that were loaded. Otherwise two requests could be loaded in turn, each in the other's blocks.
   */
  public boolean asksNoMore;

  /** Tokens behind the local ones that the latest answer of the connector was about. */
  public int tokens;

  /** Those of {@code RequestState.cachedTokens} that the connector had. */
  public int cachedTokens;

  /** Whether it is a prefill in flight, see {@code core.PrefillReserve}. */
  public boolean isPrefilling;

  /** Blocks that it lacks as such. */
  public int missingBlocks;

  /** Whether its result in the step that is being answered does not count; as in vLLM. */
  public boolean skipsResult;
}
