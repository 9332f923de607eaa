package dev.headway.events.model;

import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.FirstTokenRecord;
import dev.headway.events.record.RejectedRecord;

/**
 * Is notified of what happens to requests.
 *
 * <p>One thread. Timelines belong to the model and continue to change after the call.
 */
public interface RequestListener {

  /** A request entered the queue. */
  default void onQueued(RequestTimeline request) {}

  /** A request was rejected at submission. */
  default void onRejected(RejectedRecord rejected) {}

  /**
   * A decision of any kind took effect; the timeline of its request already reflects it.
   *
   * @param atNs when
   * @param stepId the step whose scheduling or outcome it belongs to; 0 before the first
   */
  default void onDecision(Decision decision, long atNs, long stepId) {}

  /** A request was admitted, for the first time or again; its phase has changed. */
  default void onAdmitted(RequestTimeline request, int cachedTokens, long nowNs) {}

  /** A request was preempted; its phase has changed. */
  default void onPreempted(Decision.Preempted preemption, long nowNs) {}

  /**
   * Computed KV of a preempted request was lost; reported once per preemption, at the first loss.
   *
   * @param cause {@code cache_reset}, or {@code blocks_reused}: in the step whose decisions gave
   *     its cached blocks to other requests, or at the resumption if the records do not have blocks
   * @param tokens lost so far
   */
  default void onEvicted(
      RequestTimeline request, String cause, int tokens, long nowNs, long stepId) {}

  /**
   * A request entered a phase, which its timeline names; it had been in {@code left} since {@code
   * sinceNs}.
   */
  default void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {}

  /** The first token of a request is available. */
  default void onFirstToken(RequestTimeline request, FirstTokenRecord firstToken) {}

  /**
   * A step produced tokens of a request; {@link #onTokenGap} reports them individually.
   *
   * @param gapNs time since the tokens of an earlier step; absent if these are the first
   */
  default void onTokens(RequestTimeline request, int tokens, long gapNs) {}

  /** A token of a request was produced {@code gapNs} after the previous one. */
  default void onTokenGap(RequestTimeline request, long gapNs) {}

  /** A request ended and was removed from its run; tokens of its last step may still follow. */
  default void onFinished(RequestTimeline request, FinishedRecord end) {}

  /** All tokens of an ended request are known. In the order of the ends. */
  default void onSettled(RequestTimeline request) {}

  /**
   * The records ended while a request was alive, or its end was dropped, as a plan implies if
   * {@link RunTimeline#believePlans} asks for that. In the order of the numbers.
   */
  default void onUnfinished(RequestTimeline request, long nowNs) {}
}
