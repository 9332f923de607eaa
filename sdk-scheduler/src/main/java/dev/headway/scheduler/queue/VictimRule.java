package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;

/** Which running request gives way when KV blocks run out. */
public interface VictimRule {

  /** The request admitted last. */
  VictimRule LAST_ADMITTED = running -> running.size() - 1;

  /**
   * The least important by priority and arrival; among equals the one admitted first, as vLLM does.
   */
  VictimRule LEAST_IMPORTANT = VictimRule::leastImportant;

  /** Returns the victim's index in a list that is not empty. */
  int select(RunningList running);

  private static int leastImportant(RunningList running) {
    int victim = 0;
    RequestState worst = running.get(0);
    for (int i = 1; i < running.size(); i++) {
      final RequestState candidate = running.get(i);
      if (PriorityOrder.compareRank(candidate, worst) > 0) {
        victim = i;
        worst = candidate;
      }
    }
    return victim;
  }
}
