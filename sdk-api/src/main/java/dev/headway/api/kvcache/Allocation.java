package dev.headway.api.kvcache;

/**
 * Result of a block allocation: whether the sequence got its blocks, and the figures that explain a
 * refusal. With any status but {@link Status#ALLOCATED} nothing has changed.
 *
 * <p>A manager reuses one object: a result is valid until the next allocation. Engine thread only;
 * allocates nothing.
 */
public final class Allocation {

  /** Outcome of an allocation. */
  public enum Status {
    /** The sequence has its blocks. */
    ALLOCATED,
    /** The tokens of this step need more blocks than are free. */
    BLOCKS_SHORT,
    /**
     * There are enough blocks, for this step or for the whole sequence where that must fit, but not
     * with the watermark kept free.
     */
    WATERMARK_SHORT,
    /**
     * There are enough blocks, also with the watermark kept free, but not with those that are
     * reserved for others.
     */
    RESERVED_SHORT,
    /** The whole sequence must fit before it starts, and does not. */
    FULL_SEQUENCE_SHORT,
    /**
     * The state its prefix ends with, or the block its prefix ends inside of, is written in this
     * very step and cannot be read yet.
     */
    PREFIX_IN_PROGRESS
  }

  private Status status = Status.ALLOCATED;
  private int neededBlocks;
  private int hostTokens;

  /** Creates an allocated result of 0 blocks. */
  public Allocation() {}

  /**
   * Sets the result; for managers.
   *
   * @param neededBlocks free blocks required, the watermark included, >= 0
   * @return this
   */
  public Allocation answer(Status status, int neededBlocks) {
    this.status = status;
    this.neededBlocks = neededBlocks;
    hostTokens = 0;
    return this;
  }

  /**
   * Adds to the result that {@code tokens} of the prefix are in the host tier only; for managers.
   */
  public Allocation withHostTokens(int tokens) {
    hostTokens = tokens;
    return this;
  }

  /** Outcome of the allocation. */
  public Status status() {
    return status;
  }

  /** Whether the sequence has its blocks. */
  public boolean isAllocated() {
    return status == Status.ALLOCATED;
  }

  /**
   * Free blocks required, the watermark included: more than were free if the allocation was refused
   * for lack of blocks, 0 if it was refused for another reason.
   */
  public int neededBlocks() {
    return neededBlocks;
  }

  /**
   * Tokens of the prefix found that only the host tier has: loaded if the sequence got its blocks.
   * 0 without such a tier.
   */
  public int hostTokens() {
    return hostTokens;
  }

  @Override
  public String toString() {
    return "Allocation[status=" + status + ", neededBlocks=" + neededBlocks + "]";
  }
}
