package dev.headway.events.model;

import org.jspecify.annotations.Nullable;

/**
 * What the engine thread did between a request's arrival and its queueing. It takes requests in
 * between two steps, so the wait is for the step that it was in.
 *
 * @param reason {@link #STEP_IN_PROGRESS}, {@link #ENGINE_IDLE}, or null if the request was queued
 *     in the instant of its arrival
 * @param stepId the step that the request waited for, with the reason {@link #STEP_IN_PROGRESS}; 0
 *     otherwise
 */
public record Ingress(@Nullable String reason, long stepId) {

  /** The engine thread was in a step. */
  public static final String STEP_IN_PROGRESS = "step_in_progress";

  /** The engine thread was not in a step: it had to wake up. */
  public static final String ENGINE_IDLE = "engine_idle";

  static final Ingress NONE = new Ingress(null, 0);
  static final Ingress IDLE = new Ingress(ENGINE_IDLE, 0);

  static Ingress during(long stepId) {
    return new Ingress(STEP_IN_PROGRESS, stepId);
  }
}
