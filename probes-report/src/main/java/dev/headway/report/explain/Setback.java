package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

/** A preemption, and what it cost. */
final class Setback implements Moment {

  private final long atNs;
  private final long stepId;
  private final String cause;
  private final long beneficiary;
  private final int lostTokens;
  private final int freedBlocks;

  private long resumedNs = ABSENT;
  private int cachedTokens;
  private long recomputedTokens;
  private long recoveringStep = ABSENT;
  private long recoveredNs = ABSENT;

  Setback(long atNs, long stepId, String cause, long beneficiary, int lostTokens, int freedBlocks) {
    this.atNs = atNs;
    this.stepId = stepId;
    this.cause = cause;
    this.beneficiary = beneficiary;
    this.lostTokens = lostTokens;
    this.freedBlocks = freedBlocks;
  }

  void resumed(long nowNs, int cached) {
    resumedNs = nowNs;
    cachedTokens = cached;
  }

  /** A step computes some of what was lost. */
  void recomputes(int tokens) {
    recomputedTokens += tokens;
  }

  /** The step after which it stands where it stood. */
  void recoversIn(long recoveringStepId) {
    if (recoveringStep == ABSENT) {
      recoveringStep = recoveringStepId;
    }
  }

  /** A step is done. */
  void completed(long completedStepId, long outputNs) {
    if (completedStepId == recoveringStep && recoveredNs == ABSENT) {
      recoveredNs = outputNs;
    }
  }

  @Override
  public long atNs() {
    return atNs;
  }

  long stepId() {
    return stepId;
  }

  String cause() {
    return cause;
  }

  /** Number of the request that got the blocks or the seat, or absent. */
  long beneficiary() {
    return beneficiary;
  }

  /** Computed tokens given up. */
  int lostTokens() {
    return lostTokens;
  }

  int freedBlocks() {
    return freedBlocks;
  }

  /** When it had a seat again, or absent. */
  long resumedNs() {
    return resumedNs;
  }

  /** Tokens that were still in the cache then. */
  int cachedTokens() {
    return cachedTokens;
  }

  /** Lost tokens computed again. */
  long recomputedTokens() {
    return recomputedTokens;
  }

  /** When it stood where it had stood before, or absent. */
  long recoveredNs() {
    return recoveredNs;
  }
}
