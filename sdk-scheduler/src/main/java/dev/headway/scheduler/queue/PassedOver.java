package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Requests that a step has passed over, out of their line until admissions end. */
final class PassedOver {

  private final Consumer<RequestState> line;
  private @Nullable RequestState[] requests = new RequestState[16];
  private int size;

  /** Makes an empty list; {@code line} puts a request back at its place. */
  PassedOver(Consumer<RequestState> line) {
    this.line = line;
  }

  void add(RequestState request) {
    if (size == requests.length) {
      requests = Arrays.copyOf(requests, 2 * size);
    }
    request.windowIndex = size;
    requests[size++] = request;
  }

  /** The request does not return to its line. */
  void remove(RequestState request) {
    requests[request.windowIndex] = null;
    request.windowIndex = RequestState.NOWHERE;
  }

  /** Admissions are over: puts all back, the last one first. */
  void putBack() {
    while (size > 0) {
      final RequestState request = requests[--size];
      requests[size] = null;
      if (request != null) {
        request.windowIndex = RequestState.NOWHERE;
        line.accept(request);
      }
    }
  }

  /** How many were passed over, those taken out since included. */
  int size() {
    return size;
  }

  /** Visits those that will return to their line, in the order in which they were passed over. */
  void forEach(Consumer<RequestState> visitor) {
    for (int i = 0; i < size; i++) {
      final RequestState request = requests[i];
      if (request != null) {
        visitor.accept(request);
      }
    }
  }
}
