package dev.headway.scheduler.queue;

import dev.headway.scheduler.state.RequestState;
import dev.headway.scheduler.support.LongLongMap;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for a seat of their LoRA adapter: a lot per adapter, and a heap of the lots by
 * the first request of each. So the next request is found without looking at those whose adapter
 * has no seat: O(adapters of the step) when all seats are taken, O(1) when one is free; parking and
 * leaving are O(log n). Allocates only to grow. Engine thread only.
 */
final class AdapterLots {

  private static final int NO_LOT = -1;
  private static final int MOST_UNUSED = 64;

  /** The requests of one adapter. */
  private static final class Lot {

    private final RequestHeap requests;
    private int adapterId;
    private int heapIndex;

    Lot(Comparator<RequestState> order) {
      requests = new RequestHeap(order, 4);
    }

    RequestState first() {
      final RequestState first = requests.peek();
      if (first == null) {
        throw new IllegalStateException("a lot without requests is dissolved: " + adapterId);
      }
      return first;
    }
  }

  private final Comparator<RequestState> order;
  private final AdapterSeats seats;

  /** Position in {@link #heap} by adapter. */
  private final LongLongMap positions = new LongLongMap();

  private final ArrayDeque<Lot> unused = new ArrayDeque<>();
  private @Nullable Lot[] heap = new Lot[16];
  private int lots;
  private int size;

  AdapterLots(Comparator<RequestState> order, AdapterSeats seats) {
    this.order = order;
    this.seats = seats;
  }

  /** The adapters of the step being planned. */
  AdapterSeats seats() {
    return seats;
  }

  /** Requests in all lots. */
  int size() {
    return size;
  }

  void park(RequestState request) {
    final Lot lot = lotOf(request.adapterId());
    lot.requests.add(request);
    size++;
    siftUp(lot.heapIndex, lot); // its first may have become smaller
  }

  void remove(RequestState request) {
    final Lot lot = at((int) positions.get(request.adapterId(), NO_LOT));
    lot.requests.remove(request);
    size--;
    if (lot.requests.size() == 0) {
      dissolve(lot);
    } else {
      siftDown(lot.heapIndex, lot); // its first may have become larger
    }
  }

  /** The first request whose adapter has a seat, or could have one; null if there is none. */
  @Nullable RequestState first() {
    if (size == 0) {
      return null;
    }
    if (!seats.areTaken()) {
      return at(0).first();
    }
    RequestState best = null;
    for (int i = 0; i < seats.count(); i++) {
      final int adapterId = seats.adapterId(i);
      final RequestState candidate = seats.isDrained(adapterId) ? null : firstOf(adapterId);
      if (candidate != null) {
        best = earlier(best, candidate);
      }
    }
    return best;
  }

  /** The first request whose adapter is not part of the step; null if there is none. */
  @Nullable RequestState firstWithoutSeat() {
    return firstWithoutSeat(0);
  }

  /** Looks below a lot only if its adapter has a seat: O(adapters of the step). */
  private @Nullable RequestState firstWithoutSeat(int index) {
    if (index >= lots) {
      return null;
    }
    final Lot lot = at(index);
    if (!seats.holds(lot.adapterId)) {
      return lot.first();
    }
    final RequestState left = firstWithoutSeat(2 * index + 1);
    final RequestState right = firstWithoutSeat(2 * index + 2);
    return right == null ? left : earlier(left, right);
  }

  private RequestState earlier(@Nullable RequestState one, RequestState other) {
    return one == null || order.compare(other, one) < 0 ? other : one;
  }

  /** The first request of an adapter, or null. */
  @Nullable RequestState firstOf(int adapterId) {
    final int position = (int) positions.get(adapterId, NO_LOT);
    return position == NO_LOT ? null : at(position).first();
  }

  void forEach(Consumer<RequestState> visitor) {
    for (int i = 0; i < lots; i++) {
      at(i).requests.forEachInOrder(visitor);
    }
  }

  private Lot lotOf(int adapterId) {
    final int position = (int) positions.get(adapterId, NO_LOT);
    if (position != NO_LOT) {
      return at(position);
    }
    final Lot lot = unused.isEmpty() ? new Lot(order) : unused.pop();
    lot.adapterId = adapterId;
    if (lots == heap.length) {
      heap = Arrays.copyOf(heap, 2 * lots);
    }
    put(lots++, lot); // it gets its place with its first request
    return lot;
  }

  private void dissolve(Lot lot) {
    positions.remove(lot.adapterId);
    if (unused.size() < MOST_UNUSED) {
      unused.push(lot);
    }
    final Lot last = at(--lots);
    heap[lots] = null;
    if (last == lot) {
      return;
    }
    final int hole = lot.heapIndex;
    put(hole, last);
    siftDown(hole, last);
    siftUp(last.heapIndex, last);
  }

  private void siftUp(int start, Lot lot) {
    int hole = start;
    while (hole > 0) {
      final int parent = (hole - 1) >>> 1;
      if (order.compare(lot.first(), at(parent).first()) >= 0) {
        break;
      }
      put(hole, at(parent));
      hole = parent;
    }
    put(hole, lot);
  }

  private void siftDown(int start, Lot lot) {
    int hole = start;
    while (2 * hole + 1 < lots) {
      int child = 2 * hole + 1;
      if (child + 1 < lots && order.compare(at(child + 1).first(), at(child).first()) < 0) {
        child++;
      }
      if (order.compare(lot.first(), at(child).first()) <= 0) {
        break;
      }
      put(hole, at(child));
      hole = child;
    }
    put(hole, lot);
  }

  private void put(int index, Lot lot) {
    heap[index] = lot;
    lot.heapIndex = index;
    positions.put(lot.adapterId, index);
  }

  private Lot at(int index) {
    final Lot lot = heap[index];
    if (lot == null) {
      throw new IllegalStateException("no lot: index=" + index + ", lots=" + lots);
    }
    return lot;
  }
}
