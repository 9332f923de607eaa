package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Decision;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.PreemptedRecord;
import org.jspecify.annotations.Nullable;

/** A preemption, and what it cost. */
final class PreemptionCost implements TimelineEntry {

  private final Decision.Preempted decision;
  private final long atNs;
  private final long recomputedBefore;

  private long resumedNs = ABSENT;
  private int cachedTokens;
  private long recomputedTokens;
  private long recoveringStep = ABSENT;
  private long recoveredNs = ABSENT;

  PreemptionCost(Decision.Preempted decision, long atNs) {
    this.decision = decision;
    this.atNs = atNs;
    this.recomputedBefore = decision.request().recomputedTokens();
  }

  void resumed(long nowNs, int cached) {
    resumedNs = nowNs;
    cachedTokens = cached;
  }

  /** A step computes tokens of the request, lost ones perhaps. */
  void scheduled(long stepId) {
    final RequestTimeline request = decision.request();
    recomputedTokens = request.recomputedTokens() - recomputedBefore;
    if (recoveringStep == ABSENT && request.hasRecovered()) {
      recoveringStep = stepId;
    }
  }

  /** A step is done. */
  void completed(long stepId, long outputNs) {
    if (stepId == recoveringStep && recoveredNs == ABSENT) {
      recoveredNs = outputNs;
    }
  }

  @Override
  public long atNs() {
    return atNs;
  }

  PreemptedRecord record() {
    return decision.record();
  }

  /** The request that got the blocks or the place in the batch, or null. */
  @Nullable RequestName beneficiary() {
    return RequestName.of(decision.record().beneficiaryNumber(), decision.beneficiary());
  }

  /** When it was admitted again, or absent. */
  long resumedNs() {
    return resumedNs;
  }

  /** Tokens that were still in the cache then. */
  int cachedTokens() {
    return cachedTokens;
  }

  /** Lost tokens computed again, up to the next preemption. */
  long recomputedTokens() {
    return recomputedTokens;
  }

  /** When all that was lost was computed again, or absent. */
  long recoveredNs() {
    return recoveredNs;
  }
}
