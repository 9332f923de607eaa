package dev.headway.scheduler.queue;

import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * The running requests in the order of their admission; a resumed one joins at the end. An array of
 * fixed size. Engine thread only; allocates nothing.
 */
public final class RunningList {

  private final @Nullable RequestState[] requests;
  private int size;

  /** Makes a list with {@code capacity} seats. */
  public RunningList(int capacity) {
    requests = new RequestState[capacity];
  }

  /** Number of running requests. */
  public int size() {
    return size;
  }

  /** Whether every seat is taken. */
  public boolean isFull() {
    return size == requests.length;
  }

  /** Returns the request at {@code index} in [0, size). */
  public RequestState get(int index) {
    final RequestState request = requests[index];
    if (request == null) {
      throw new IndexOutOfBoundsException(
          "index must be in [0, size): index=" + index + ", size=" + size);
    }
    return request;
  }

  /** Puts a request at the end. */
  public void add(RequestState request) {
    requests[size++] = request;
  }

  /** Takes the request at {@code index} out; those behind it move up. */
  public RequestState removeAt(int index) {
    final RequestState removed = get(index);
    System.arraycopy(requests, index + 1, requests, index, size - index - 1);
    requests[--size] = null;
    return removed;
  }

  /** Takes a request out if it is here. */
  public void remove(RequestState request) {
    for (int i = 0; i < size; i++) {
      if (requests[i] == request) {
        removeAt(i);
        return;
      }
    }
  }

  /** Takes out all that are no longer running, in one pass; the others keep their order. */
  public void removeEnded() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      final RequestState request = get(i);
      if (request.status == RequestStatus.RUNNING) {
        requests[kept++] = request;
      }
    }
    for (int i = kept; i < size; i++) {
      requests[i] = null;
    }
    size = kept;
  }
}
