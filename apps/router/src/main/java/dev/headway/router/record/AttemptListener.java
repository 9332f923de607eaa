package dev.headway.router.record;

/** Notified of every attempt when it is over. Called by many threads; must not block. */
@FunctionalInterface
public interface AttemptListener {

  /** An attempt is over. */
  void onAttempt(Attempt attempt);
}
