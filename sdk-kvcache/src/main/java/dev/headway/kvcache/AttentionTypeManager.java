package dev.headway.kvcache;

/**
 * How one type of layers looks blocks up, counts, takes and gives them back. All groups of equal
 * layers share an instance; the tables handed over belong to one of them.
 *
 * <p>Engine thread only. Tokens and blocks are counts; a demand is answered before anything is
 * changed.
 */
interface AttentionTypeManager {

  /** The block table of a new sequence. */
  BlockTable newTable(int group);

  /**
   * Finds the longest prefix that all groups of this type hold, and leaves its blocks behind the
   * tables.
   *
   * @param limit most tokens
   * @param dropLast whether the last block is to be given back
   * @return tokens of the prefix
   */
  int search(GroupedSequence seq, int limit, boolean dropLast);

  /** Whether every beginning of a prefix found is one too, so that one search is enough. */
  boolean isClosedDownwards();

  /** Shortens what the latest search has found; only for types that are closed downwards. */
  void cut(GroupedSequence seq, int tokens);

  /** Tokens by which a search that gives its last block back may look further. */
  int dropTokens();

  /**
   * Whether the hit needs a block before the step runs that this very step writes: a state to
   * continue, or a block to copy because the hit ends inside it.
   */
  boolean isHitInProgress(BlockTable table, int hitTokens);

  /** Blocks asked of the free ones to hold {@code tokens} tokens behind the hit, for a gate. */
  int gateNeed(BlockTable table, int hitTokens, int tokens);

  /**
   * Blocks asked of the free ones by an admission.
   *
   * @param tokens tokens before and in the step
   * @param slots tokens to have room for
   */
  int admissionNeed(BlockTable table, int hitTokens, int tokens, int slots);

  /** Blocks asked of the free ones by a running request. */
  int growthNeed(BlockTable table, int tokens, int slots);

  /**
   * Blocks asked of the free ones to hold {@code tokens} tokens beside those it has, for a gate.
   */
  int growthGate(BlockTable table, int tokens);

  /** Takes a reference to each block of the hit that the layers still look at. */
  void shareHits(BlockTable table, int hitTokens);

  /** Takes what {@link #admissionNeed} or {@link #growthNeed} has counted. */
  void take(BlockTable table, int hitTokens, int tokens, int slots);

  /** Gives back what the layers do not look at once {@code processed} tokens are processed. */
  void leave(BlockTable table, int processed);

  /** Whether block {@code index} is to be findable once it is full. */
  boolean keeps(int index, GroupedSequence seq);

  /**
   * Registers the prompt's end inside a block.
   *
   * @param findable tokens that may be findable
   * @param computed tokens computed or scheduled so far, known or not; with an answer, those it is
   *     sure of, and later steps may be out
   * @param writer the step that writes them, or {@link BlockWriters#ANSWERED}
   */
  void registerPart(GroupedSequence seq, BlockTable table, int findable, int computed, long writer);

  /** Whether each sequence keeps the whole context, so that leading blocks can be common. */
  boolean keepsWholeContext();
}
