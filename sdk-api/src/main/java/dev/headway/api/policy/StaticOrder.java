package dev.headway.api.policy;

import dev.headway.api.request.RequestView;

/**
 * An order that does not change while a request waits: kept in a heap, so that it costs O(log
 * waiting) per arrival and nothing per step.
 */
public non-sealed interface StaticOrder extends QueueOrder {

  /**
   * Returns the request's sort key: smaller comes first, equal keys go by arrival. Called once when
   * the request enters the queue, again after a preemption.
   */
  double key(RequestView request);
}
