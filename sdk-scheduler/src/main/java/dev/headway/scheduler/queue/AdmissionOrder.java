package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which waiting request is considered next. A step opens admissions with {@link #begin}, takes or
 * passes over one {@link #peek} after the other, and closes them with {@link #end}. A request that
 * need not be considered for some time is taken out by {@link #setAside} and comes back by {@link
 * #giveBack}. Engine thread only.
 */
public interface AdmissionOrder {

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

  /** Removes a request that will be given back, or never be considered again. */
  void setAside(RequestState request);

  /** Puts a request that was set aside among those passed over before. */
  void giveBack(RequestState request);

  /** Whether a request that was set aside would be considered next if it were given back now. */
  boolean isDue(RequestState setAside);

  /** The order among requests that were set aside: the smaller one is considered first. */
  Comparator<RequestState> order();

  /** Number of those that were never passed over. */
  int neverPassedOver();

  /** Visits those never passed over in the order of admission; for tests and diagnosis. */
  void forEachInOrder(Consumer<RequestState> visitor);

  /** Visits those passed over in the order of admission; for tests and diagnosis. */
  void forEachPassedOver(Consumer<RequestState> visitor);
}
