package dev.headway.api.policy;

import dev.headway.api.request.RequestView;
import dev.headway.api.step.StepPlan;

/** Tracks the service that requests, tenants or classes have received. */
public interface ServiceLedger {

  /** A request begins to wait, for the first time. */
  default void onQueued(RequestView request) {}

  /**
   * A request was admitted, for the first time or again.
   *
   * @param cachedTokens tokens found in the prefix cache
   */
  default void onAdmitted(RequestView request, int cachedTokens) {}

  /**
   * A step's output was processed; see {@code scheduledTokens} and {@code producedTokens} of its
   * entries.
   */
  default void onServed(StepPlan plan) {}

  /** A request has ended. */
  default void onFinished(RequestView request) {}
}
