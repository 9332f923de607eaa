package dev.headway.api.kvcache;

/**
 * What the KV cache answers to a demand for blocks: whether the sequence has them, and the figures
 * that explain a refusal. Anything but {@link Status#ALLOCATED} has changed nothing.
 *
 * <p>A manager fills one object and hands it out each time: an answer is valid until the next
 * demand. Engine thread only; allocates nothing.
 */
public final class Allocation {

  /** How a demand was answered. */
  public enum Status {
    /** The sequence has its blocks. */
    ALLOCATED,
    /** The tokens of this step need more blocks than are free. */
    BLOCKS_SHORT,
    /** The blocks of this step would do, but not with the watermark kept free. */
    WATERMARK_SHORT,
    /** The whole sequence must fit before it starts, and does not. */
    FULL_SEQUENCE_SHORT,
    /** The state its prefix ends with is computed in this very step and cannot be read yet. */
    PREFIX_IN_PROGRESS
  }

  private Status status = Status.ALLOCATED;
  private int neededBlocks;
  private int hostTokens;

  /** Makes an answer that demands nothing and has it. */
  public Allocation() {}

  /**
   * Fills the answer; for managers.
   *
   * @param neededBlocks blocks asked of the free ones, the watermark included, >= 0
   * @return this
   */
  public Allocation answer(Status status, int neededBlocks) {
    this.status = status;
    this.neededBlocks = neededBlocks;
    hostTokens = 0;
    return this;
  }

  /** Adds to an answer that only the host tier has {@code tokens} of the prefix; for managers. */
  public Allocation withHostTokens(int tokens) {
    hostTokens = tokens;
    return this;
  }

  /** How the demand was answered. */
  public Status status() {
    return status;
  }

  /** Whether the sequence has its blocks. */
  public boolean isAllocated() {
    return status == Status.ALLOCATED;
  }

  /**
   * Blocks that were asked of the free ones, the watermark included: more than were free if they
   * were refused for blocks, 0 if blocks are not what is missing.
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
