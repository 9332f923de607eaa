package dev.headway.scheduler.core;

import dev.headway.scheduler.state.RequestState;

/*
 * Why every request ends, whatever policies answer; decision 0039 has the whole argument.
 *
 * A request's best is the most tokens it had computed when it was preempted. It never shrinks and ends at
 * the longest sequence, and a policy can preempt a request only beyond its best, which then grows: so
 * policies decide finitely many preemptions. All others are decided by the default rules, which rank the
 * running requests, by admission or by importance, and never take the first for the sake of another. A
 * displacement puts a more important request in the place of a less important one, so it changes the first
 * finitely often. The first therefore runs on until it ends; then another is first.
 */

/** What holds of preemptions whatever a policy answers. */
final class ProgressLaw {

  private ProgressLaw() {}

  /** A request that had computed {@code tokens} was preempted for blocks or a seat. */
  static void preempted(RequestState victim, int tokens) {
    victim.mostComputed = Math.max(victim.mostComputed, tokens);
  }

  /**
   * Whether no policy can preempt the request in step {@code stepId}, the one being planned: since
   * it was preempted, it has computed nothing that it had not computed before.
   */
  static boolean spares(RequestState running, long stepId) {
    return running.computedBefore(stepId) <= running.mostComputed;
  }
}
