package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;

/** Which running request is preempted when KV blocks run out. */
public interface VictimRule {

  /** The request admitted last. */
  VictimRule LAST_ADMITTED = running -> running.size() - 1;

  /**
   * The least important by priority, arrival and id: the reverse of the order of admission, so that
   * the most important request always goes on.
   */
  VictimRule LEAST_IMPORTANT = running -> leastImportant(running, PriorityOrder::compare);

  /**
   * The least important by priority and arrival; among equals the one admitted first, as vLLM does.
   * Equals can preempt each other for ever.
   */
  VictimRule LEAST_IMPORTANT_LIKE_VLLM =
      running -> leastImportant(running, PriorityOrder::compareRank);

  /** Returns the victim's index in a list that is not empty. */
  int select(RunningList running);

  private static int leastImportant(
      RunningList running, Comparator<? super RequestState> importance) {
    int victim = 0;
    RequestState worst = running.get(0);
    for (int i = 1; i < running.size(); i++) {
      final RequestState candidate = running.get(i);
      if (importance.compare(candidate, worst) > 0) {
        victim = i;
        worst = candidate;
      }
    }
    return victim;
  }
}
