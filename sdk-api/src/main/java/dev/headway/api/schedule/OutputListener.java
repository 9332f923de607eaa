package dev.headway.api.schedule;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepOutput;
import org.jspecify.annotations.Nullable;

/**
 * Receives the output of a request. Engine thread, inside the step; must not throw, and must not
 * change other requests.
 */
public interface OutputListener {

  /**
   * A request was admitted for the first time; called once, before any other method but {@link
   * #onHeld}.
   *
   * @param nowNs instant at which the step that admits it began to be planned
   */
  default void onFirstAdmitted(RequestView request, long nowNs) {}

  /**
   * An admission gate holds a request: the program that drives the scheduler calls {@link
   * Scheduler#release} when the hold is over, and ends the request at its timeout or if its stage
   * has failed.
   *
   * @param nowNs instant at which the step that holds it began to be planned
   */
  default void onHeld(RequestView request, Hold hold, long nowNs) {}

  /**
   * Tokens were appended to a request.
   *
   * @param count how many, >= 1: the request's last {@code count} known tokens
   */
  void onTokens(RequestView request, int count, long nowNs);

  /**
   * Tokens were appended to a request, of which some came with log-probabilities; called in place
   * of the other.
   *
   * @param count how many, >= 1: the request's last {@code count} known tokens, which are the first
   *     {@code count} tokens of the entry
   * @param output what the executor answered; only valid during the call
   * @param entry the request's index there
   */
  default void onTokens(RequestView request, int count, StepOutput output, int entry, long nowNs) {
    onTokens(request, count, nowNs);
  }

  /**
   * How long a request waited; called right before {@link #onFinished}, by schedulers that account
   * for waits.
   *
   * @param byReasonNs nanoseconds, indexed by the ordinal of the {@link WaitReason}; only valid
   *     during the call, see {@link WaitTimes#of}
   */
  default void onWaitTimes(RequestView request, long[] byReasonNs) {}

  /**
   * A turn of a session ended, which goes on: its outputs are those since its latest input, and
   * become part of its prompt when the next input is applied, as far as they are computed.
   *
   * @param reason how another request would have ended
   * @param stopTokenId as for {@link #onFinished}
   */
  default void onTurnEnded(
      RequestView request, FinishReason reason, long stopTokenId, long nowNs) {}

  /**
   * A request ended; its view is no longer valid after this call.
   *
   * @param stopTokenId the one of its stop tokens that ended it, or {@link
   *     dev.headway.api.Absent#ABSENT}; absent too for the end-of-sequence token, which the reason
   *     {@link FinishReason#STOP} says
   * @param cause what failed, or null
   */
  void onFinished(
      RequestView request,
      FinishReason reason,
      long stopTokenId,
      @Nullable Throwable cause,
      long nowNs);
}
