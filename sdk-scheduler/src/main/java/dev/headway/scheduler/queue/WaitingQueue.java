package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One line of waiting requests, in the order of their admission. Engine thread only. */
public interface WaitingQueue {

  /** Puts a newly arrived request at its place. */
  void add(RequestState request);

  /** Puts a request back at its place: where an order of arrival keeps it first. */
  void putBack(RequestState request);

  /** The request to be admitted next, or null. */
  @Nullable RequestState peek();

  /** Removes a request from any position. It must be in this queue. */
  void remove(RequestState request);

  /** Number of requests waiting. */
  int size();

  /** Visits all in the order of admission, for tests and diagnosis: O(n log n) at worst. */
  void forEachInOrder(Consumer<RequestState> visitor);
}
