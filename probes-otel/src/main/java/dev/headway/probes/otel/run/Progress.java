package dev.headway.probes.otel.run;

import static dev.headway.api.Absent.ABSENT;

/** How far a request has come. One thread. Counts what was planned, as the scheduler does. */
public final class Progress {

  private final int promptTokens;

  private int computedTokens;
  private int highWater;
  private int outputTokens;
  private int cachedTokens;
  private int cachedBlocks;
  private int heldBlocks;
  private long lastTokenNs = ABSENT;

  /** A request that has computed nothing yet. */
  public Progress(int promptTokens) {
    this.promptTokens = promptTokens;
  }

  /** It got a seat, and found tokens of the prefix cache. */
  public void admitted(int cached, int blockSize) {
    computedTokens = cached;
    highWater = Math.max(highWater, cached);
    cachedTokens = cached;
    cachedBlocks = cached / blockSize;
  }

  /**
   * It computes tokens in a step.
   *
   * @return tokens among them that it had computed before
   */
  public int scheduled(int computed, int tokens, int blocks) {
    final int end = computed + tokens;
    final int recomputed = Math.max(0, Math.min(end, highWater) - computed);
    computedTokens = end;
    highWater = Math.max(highWater, end);
    heldBlocks = blocks;
    return recomputed;
  }

  /** Blocks of it became findable. */
  public void stored(int blocks) {
    cachedBlocks += blocks;
  }

  /** Tokens came out of a step. */
  public void produced(int tokens, long outputNs) {
    if (tokens > 0) {
      outputTokens += tokens;
      lastTokenNs = outputNs;
    }
  }

  /** It was put back and holds nothing any more. */
  public void preempted() {
    computedTokens = 0;
    cachedTokens = 0;
    cachedBlocks = 0;
    heldBlocks = 0;
  }

  /** Tokens of the prompt. */
  public int promptTokens() {
    return promptTokens;
  }

  /** Tokens of the prompt that have ever been computed or found; survives a preemption. */
  public int promptDone() {
    return Math.min(highWater, promptTokens);
  }

  /** Tokens computed or found that it has now, those planned included. */
  public int computedTokens() {
    return computedTokens;
  }

  /** Tokens generated. */
  public int outputTokens() {
    return outputTokens;
  }

  /** Tokens found in the prefix cache at its latest admission. */
  public int cachedTokens() {
    return cachedTokens;
  }

  /** KV blocks held in the latest step it was part of. */
  public int heldBlocks() {
    return heldBlocks;
  }

  /** Blocks of it that were found or have become findable since its admission. */
  public int cachedBlocks() {
    return cachedBlocks;
  }

  /** When its latest token was available, or {@link dev.headway.api.Absent#ABSENT}. */
  public long lastTokenNs() {
    return lastTokenNs;
  }
}
