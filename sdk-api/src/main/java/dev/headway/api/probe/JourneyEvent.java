package dev.headway.api.probe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One stage of a request's way through the server around the engine; see {@code Engine.report}.
 * Immutable; may be kept.
 */
public final class JourneyEvent {

  private final String requestId;
  private final JourneyStage stage;
  private final long atNs;
  private final @Nullable String reason;
  private final @Nullable String error;

  private JourneyEvent(
      String requestId,
      JourneyStage stage,
      long atNs,
      @Nullable String reason,
      @Nullable String error) {
    this.requestId = Objects.requireNonNull(requestId, "requestId");
    this.stage = Objects.requireNonNull(stage, "stage");
    this.atNs = atNs;
    this.reason = reason;
    this.error = error;
  }

  /**
   * Returns the event of a stage that needs no reason.
   *
   * @param requestId the id that the request has, had or will have in the engine
   * @param atNs when it happened, of the engine's clock; stages may be reported late
   * @throws IllegalArgumentException for {@link JourneyStage#ABORTED}, which has a reason
   */
  public static JourneyEvent of(String requestId, JourneyStage stage, long atNs) {
    if (stage == JourneyStage.ABORTED) {
      throw new IllegalArgumentException("an aborted journey must have a reason: id=" + requestId);
    }
    return new JourneyEvent(requestId, stage, atNs, null, null);
  }

  /**
   * Returns the event of an answer that was not completed.
   *
   * @param requestId the id that the request has, had or will have in the engine
   * @param atNs when it happened, of the engine's clock
   * @param reason what ended it, such as {@code client_disconnect}, {@code validation_error} or
   *     {@code generation_error}
   * @param error what failed, in words; null if nothing did
   */
  public static JourneyEvent aborted(
      String requestId, long atNs, String reason, @Nullable String error) {
    return new JourneyEvent(
        requestId, JourneyStage.ABORTED, atNs, Objects.requireNonNull(reason, "reason"), error);
  }

  /** The id that the request has, had or will have in the engine. */
  public String requestId() {
    return requestId;
  }

  /** What happened. */
  public JourneyStage stage() {
    return stage;
  }

  /** When it happened, of the engine's clock. */
  public long atNs() {
    return atNs;
  }

  /** For {@link JourneyStage#ABORTED} what ended the journey, else null. */
  public @Nullable String reason() {
    return reason;
  }

  /** What failed, in words, or null. */
  public @Nullable String error() {
    return error;
  }
}
