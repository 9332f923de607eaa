package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

/** What a request computed and produced, and the KV blocks it held for that. */
final class Progress {

  private final int promptTokens;

  private long iterations;
  private long firstIteration = ABSENT;
  private long scheduledTokens;
  private long recomputedTokens;
  private int computedBefore;
  private long outputTokens;
  private long lastTokenNs = ABSENT;
  private int blocks;
  private int peakBlocks;
  private long latestStep = -1;
  private int latestTokens;
  private int latestComputed;
  private boolean latestSamples;
  private boolean latestRecomputes;

  Progress(int promptTokens) {
    this.promptTokens = promptTokens;
  }

  /** The request computes tokens in a step. */
  void scheduled(StepEntry entry) {
    final int end = entry.computedTokens() + entry.scheduledTokens();
    latestStep = entry.stepId();
    latestTokens = entry.scheduledTokens();
    latestComputed = entry.computedTokens();
    latestSamples = entry.samples();
    latestRecomputes = latestComputed < computedBefore;
    iterations++;
    if (firstIteration == ABSENT) {
      firstIteration = StepFrame.iteration(latestStep);
    }
    scheduledTokens += latestTokens;
    recomputedTokens += Math.max(0, Math.min(end, computedBefore) - latestComputed);
    blocks = entry.blockCount();
    peakBlocks = Math.max(peakBlocks, blocks);
  }

  /** Tokens of the request came out of a step. */
  void produced(int tokens, long outputNs) {
    if (tokens > 0) {
      outputTokens += tokens;
      lastTokenNs = outputNs;
    }
  }

  /** It let go of its blocks, and of what it had computed: that will be computed again. */
  void preempted(int computedTokens) {
    computedBefore = Math.max(computedBefore, computedTokens);
    releaseBlocks();
  }

  /** It let go of its blocks. */
  void releaseBlocks() {
    blocks = 0;
  }

  boolean isScheduledIn(long stepId) {
    return latestStep == stepId;
  }

  /** Whether its latest entry computes the prompt, or something it had computed before. */
  boolean latestIsPrefill() {
    return latestComputed < promptTokens || latestRecomputes;
  }

  /** Whether its latest entry makes no token and computes again what a preemption took. */
  boolean latestRecomputesOnly() {
    return !latestSamples && latestRecomputes;
  }

  /** Whether its latest entry makes no token since its prompt is computed in chunks. */
  boolean latestIsPromptChunk() {
    return !latestSamples && !latestRecomputes && latestComputed < promptTokens;
  }

  int latestTokens() {
    return latestTokens;
  }

  int latestComputed() {
    return latestComputed;
  }

  boolean latestSamples() {
    return latestSamples;
  }

  /** Iterations it took part in. */
  long iterations() {
    return iterations;
  }

  long firstIteration() {
    return firstIteration;
  }

  /** Tokens computed, again and again ones included. */
  long scheduledTokens() {
    return scheduledTokens;
  }

  /** Those of them that had been computed before. */
  long recomputedTokens() {
    return recomputedTokens;
  }

  long outputTokens() {
    return outputTokens;
  }

  long lastTokenNs() {
    return lastTokenNs;
  }

  /** KV blocks held now. */
  int blocks() {
    return blocks;
  }

  int peakBlocks() {
    return peakBlocks;
  }
}
