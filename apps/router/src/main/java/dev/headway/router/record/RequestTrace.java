package dev.headway.router.record;

import org.jspecify.annotations.Nullable;

/** One request on its way. Its event loop only; must not block. */
public interface RequestTrace {

  /** Follows nothing. */
  RequestTrace NONE =
      new RequestTrace() {
        @Override
        public @Nullable String beginAttempt() {
          return null;
        }

        @Override
        public void onAttempt(Attempt attempt) {}

        @Override
        public void onEnd(RoutedRequest request) {}
      };

  /**
   * Begins an attempt, whose decision is made next.
   *
   * @return the {@code traceparent} for the worker; null to pass on what the caller sent
   */
  @Nullable String beginAttempt();

  /** The attempt begun last is over. */
  void onAttempt(Attempt attempt);

  /** The request is over; called once, after its attempts. */
  void onEnd(RoutedRequest request);
}
