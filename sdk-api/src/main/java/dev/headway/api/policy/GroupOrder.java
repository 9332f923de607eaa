package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/**
 * An order of groups of requests, such as tenants: the group with the smallest score comes first,
 * equal scores go by the arrival of their first request, and so do the requests of a group. All
 * that wait take part. An arrival or an admission costs O(log waiting); a step costs nothing for
 * groups that wait.
 */
public non-sealed interface GroupOrder extends QueueOrder {

  /**
   * Returns the group of a request: a number >= 0, equal ones are one group. Called when the
   * request enters the queue, again after a preemption or a deferral. A number may be used for
   * another group once no request of the first one waits.
   */
  long group(RequestView request);

  /**
   * Returns the score of a group of which a request waits, a number (no NaN). It may rise at any
   * time. If it sinks while a request of the group waits, that is noticed only when the group's
   * turn comes by its old score.
   */
  double score(long group);
}
