package dev.headway.api.probe;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One stage of a request's way through the server around the engine; see {@code Engine.report}.
 *
 * @param requestId the id that the request has, had or will have in the engine
 * @param stage what happened
 * @param atNs when it happened, of the engine's clock; stages may be reported late
 * @param reason for {@link JourneyStage#ABORTED} what ended it, such as {@code client_disconnect},
 *     {@code validation_error} or {@code generation_error}; null otherwise
 * @param error what failed, in words; null if nothing did
 */
public record JourneyEvent(
    String requestId,
    JourneyStage stage,
    long atNs,
    @Nullable String reason,
    @Nullable String error) {

  /** Checks the fields. */
  public JourneyEvent {
    Objects.requireNonNull(requestId, "requestId");
    Objects.requireNonNull(stage, "stage");
    if (stage == JourneyStage.ABORTED && reason == null) {
      throw new IllegalArgumentException("an aborted journey must have a reason: id=" + requestId);
    }
  }

  /** Returns the event of a stage that needs no reason. */
  public static JourneyEvent of(String requestId, JourneyStage stage, long atNs) {
    return new JourneyEvent(requestId, stage, atNs, null, null);
  }
}
