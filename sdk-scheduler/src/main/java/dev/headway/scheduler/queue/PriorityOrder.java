package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;

/**
 * Importance under {@code QueuePolicy.PRIORITY}: smaller priority, then earlier, then smaller id.
 */
final class PriorityOrder {

  private PriorityOrder() {}

  /** Compares for admission; negative if {@code a} comes first. Ids make the order total. */
  static int compare(RequestState a, RequestState b) {
    final int byRank = compareRank(a, b);
    return byRank != 0 ? byRank : a.id().compareTo(b.id());
  }

  /** Compares priority and arrival only, as the choice of a victim does. */
  static int compareRank(RequestState a, RequestState b) {
    final int byPriority = Integer.compare(a.priority(), b.priority());
    return byPriority != 0 ? byPriority : Long.compare(a.arrivalNs(), b.arrivalNs());
  }
}
