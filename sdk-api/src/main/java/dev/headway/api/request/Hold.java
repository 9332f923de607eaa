package dev.headway.api.request;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Something outside the scheduler that must have happened before a request may be admitted: a
 * grammar compiled, an adapter loaded. Until then the request keeps its place in the queue, without
 * KV blocks, and blocks no other.
 *
 * <p>Completing the stage, on any thread, releases the request; completing it exceptionally ends
 * the request with {@link FinishReason#HOLD_FAILED}, and its timeout with {@link
 * FinishReason#HOLD_TIMEOUT}. Immutable; a stage may hold several requests.
 */
public final class Hold {

  private final HoldReason reason;
  private final CompletionStage<?> until;
  private final @Nullable Duration timeout;

  private Hold(HoldReason reason, CompletionStage<?> until, @Nullable Duration timeout) {
    this.reason = reason;
    this.until = until;
    this.timeout = timeout;
  }

  /**
   * Holds a request until a stage is complete.
   *
   * @param reason what the request waits for, as it is recorded
   */
  public static Hold until(HoldReason reason, CompletionStage<?> until) {
    return new Hold(reason, Objects.requireNonNull(until, "until"), null);
  }

  /**
   * The same with a timeout, from the submission of the request.
   *
   * @throws IllegalArgumentException unless positive
   */
  public Hold withTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException(
          "timeout of a hold must be > 0: reason=" + reason + ", timeout=" + longest);
    }
    return new Hold(reason, until, longest);
  }

  /** What the request waits for. */
  public HoldReason reason() {
    return reason;
  }

  /** Ends the hold when it is complete. */
  public CompletionStage<?> until() {
    return until;
  }

  /** How long after submission the request ends if it is still held; null for no timeout. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  @Override
  public String toString() {
    return "Hold[reason=" + reason + ", timeout=" + timeout + "]";
  }
}
