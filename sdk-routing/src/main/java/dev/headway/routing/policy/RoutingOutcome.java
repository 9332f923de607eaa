package dev.headway.routing.policy;

import java.util.Locale;

/** How an attempt to serve a request ended. */
public enum RoutingOutcome {
  /** The whole answer was passed on. */
  COMPLETED,
  /** The worker refused, broke off, or could not be reached. */
  FAILED,
  /** The client went away. */
  CANCELLED,
  /** It took longer than allowed. */
  TIMED_OUT,
  /** The lease was closed and no outcome was given. */
  ABANDONED;

  /** The name in files and labels. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
