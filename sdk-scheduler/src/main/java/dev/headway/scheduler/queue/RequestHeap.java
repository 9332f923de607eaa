package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests in the order of a comparison. A binary heap with the index of each request, so that
 * taking one out of the middle is O(log n). Allocates only to grow.
 */
final class RequestHeap implements WaitingQueue {

  private final Comparator<RequestState> order;
  private @Nullable RequestState[] heap;
  private int size;

  /** Makes an empty line; {@code order} must be total. */
  RequestHeap(Comparator<RequestState> order) {
    this(order, 64);
  }

  /** Makes an empty line with room for {@code capacity} requests before it grows. */
  RequestHeap(Comparator<RequestState> order, int capacity) {
    this.order = order;
    heap = new RequestState[capacity];
  }

  @Override
  public void add(RequestState request) {
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    size++;
    siftUp(size - 1, request);
  }

  @Override
  public void putBack(RequestState request) {
    add(request);
  }

  @Override
  public @Nullable RequestState peek() {
    return heap[0];
  }

  @Override
  public void remove(RequestState request) {
    final int hole = request.heapIndex;
    request.heapIndex = -1;
    final RequestState last = at(--size);
    heap[size] = null;
    if (last == request) {
      return;
    }
    siftDown(hole, last);
    if (heap[hole] == last) {
      siftUp(hole, last);
    }
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public void forEachInOrder(Consumer<RequestState> visitor) {
    final RequestState[] sorted = new RequestState[size];
    for (int i = 0; i < size; i++) {
      sorted[i] = at(i);
    }
    Arrays.sort(sorted, order);
    for (RequestState request : sorted) {
      visitor.accept(request);
    }
  }

  private void siftUp(int start, RequestState request) {
    int hole = start;
    while (hole > 0) {
      final int parent = (hole - 1) >>> 1;
      if (order.compare(request, at(parent)) >= 0) {
        break;
      }
      put(hole, at(parent));
      hole = parent;
    }
    put(hole, request);
  }

  private void siftDown(int start, RequestState request) {
    int hole = start;
    while (2 * hole + 1 < size) {
      int child = 2 * hole + 1;
      if (child + 1 < size && order.compare(at(child + 1), at(child)) < 0) {
        child++;
      }
      if (order.compare(request, at(child)) <= 0) {
        break;
      }
      put(hole, at(child));
      hole = child;
    }
    put(hole, request);
  }

  private void put(int index, RequestState request) {
    heap[index] = request;
    request.heapIndex = index;
  }

  private RequestState at(int index) {
    final RequestState request = heap[index];
    if (request == null) {
      throw new IllegalStateException("heap has a hole: index=" + index + ", size=" + size);
    }
    return request;
  }
}
