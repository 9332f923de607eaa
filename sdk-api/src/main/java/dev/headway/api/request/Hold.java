package dev.headway.api.request;

import static dev.headway.api.Absent.ABSENT;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Something outside the scheduler that must have happened before a request may be admitted: a
 * grammar compiled, an adapter loaded. Until then the request keeps its place in the queue, without
 * KV blocks, and blocks no other.
 *
 * <p>Completing the stage, on any thread, or the instant, releases the request; completing it
 * exceptionally ends the request with {@link FinishReason#HOLD_FAILED}, and its timeout with {@link
 * FinishReason#HOLD_TIMEOUT}. Immutable; a stage may hold several requests.
 */
public final class Hold {

  private final HoldReason reason;
  private final CompletionStage<?> until;
  private final long releaseNs;
  private final @Nullable Duration timeout;

  private Hold(
      HoldReason reason, CompletionStage<?> until, long releaseNs, @Nullable Duration timeout) {
    this.reason = reason;
    this.until = until;
    this.releaseNs = releaseNs;
    this.timeout = timeout;
  }

  /**
   * Holds a request until a stage is complete.
   *
   * @param reason what the request waits for, as it is recorded
   */
  public static Hold until(HoldReason reason, CompletionStage<?> until) {
    return new Hold(reason, Objects.requireNonNull(until, "until"), ABSENT, null);
  }

  /**
   * Holds a request until an instant.
   *
   * @param reason what the request waits for, as it is recorded
   * @param releaseNs instant of the engine's clock; one that has passed holds until the next step
   * @throws IllegalArgumentException if negative
   */
  public static Hold untilNs(HoldReason reason, long releaseNs) {
    if (releaseNs < 0) {
      throw new IllegalArgumentException(
          "the instant of a hold must be >= 0: reason=" + reason + ", releaseNs=" + releaseNs);
    }
    return new Hold(reason, new CompletableFuture<>(), releaseNs, null);
  }

  /**
   * The same with a timeout, from the submission of the request; of a hold by an admission gate,
   * from its beginning.
   *
   * @throws IllegalArgumentException unless positive
   */
  public Hold withTimeout(Duration longest) {
    if (longest.isNegative() || longest.isZero()) {
      throw new IllegalArgumentException(
          "timeout of a hold must be > 0: reason=" + reason + ", timeout=" + longest);
    }
    return new Hold(reason, until, releaseNs, longest);
  }

  /** What the request waits for. */
  public HoldReason reason() {
    return reason;
  }

  /** Ends the hold when it is complete; never complete if an instant ends it. */
  public CompletionStage<?> until() {
    return until;
  }

  /** Instant of the engine's clock that ends it; {@link dev.headway.api.Absent#ABSENT} for none. */
  public long releaseNs() {
    return releaseNs;
  }

  /** Whether it is over at some time, whatever becomes of its stage. */
  public boolean endsByItself() {
    return releaseNs != ABSENT || timeout != null;
  }

  /** How long after submission the request ends if it is still held; null for no timeout. */
  public @Nullable Duration timeout() {
    return timeout;
  }

  @Override
  public String toString() {
    final String instant = releaseNs == ABSENT ? "" : ", releaseNs=" + releaseNs;
    return "Hold[reason=" + reason + instant + ", timeout=" + timeout + "]";
  }
}
