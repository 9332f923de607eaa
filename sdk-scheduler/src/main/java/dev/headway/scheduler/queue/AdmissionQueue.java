package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All waiting requests, and which one is considered next. A step opens admissions with {@link
 * #begin}, takes or passes over one {@link #peek} after the other, and closes them with {@link
 * #end}. Engine thread only.
 */
public interface AdmissionQueue {

  /** Puts a newly arrived request at its place. */
  void add(RequestState request);

  /** Puts a preempted request at its place: where an order of arrival keeps it first. */
  void addPreempted(RequestState request);

  /** Removes a request from any position. It must wait here. */
  void remove(RequestState request);

  /** Admissions of a step begin. */
  default void begin() {}

  /** The request to be considered next, or null. */
  @Nullable RequestState peek();

  /** The request just peeked at cannot be admitted in this step, others can. */
  void passOver(RequestState request);

  /** A request was admitted: an order that depends on that can be recomputed. */
  default void admitted() {}

  /** Admissions of the step are over. */
  default void end() {}

  /** Number of requests waiting. */
  int size();

  /** Number of those that were never passed over. */
  int neverPassedOver();

  /** Visits those never passed over in the order of admission; for tests and diagnosis. */
  void forEachInOrder(Consumer<RequestState> visitor);

  /** Visits those passed over in the order of admission; for tests and diagnosis. */
  void forEachPassedOver(Consumer<RequestState> visitor);
}
