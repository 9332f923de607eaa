package dev.headway.scheduler.core;

import dev.headway.api.step.EncoderInputs;
import dev.headway.scheduler.state.RequestState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The items that a plan encodes, in the order in which they were scheduled. Few, so that an entry's
 * are found by looking at all. Filled by {@link EncoderBudget}; allocates only to grow.
 */
final class PlannedItems implements EncoderInputs {

  private final PlanBuffer plan;
  private @Nullable RequestState[] requests = new RequestState[8];

  /** Index among the items of the request that are encoded. */
  private int[] items = new int[8];

  private int size;
  private int embeddings;
  private final List<String> dropped = new ArrayList<>();

  PlannedItems(PlanBuffer plan) {
    this.plan = plan;
  }

  void clear() {
    Arrays.fill(requests, 0, size, null);
    size = 0;
    embeddings = 0;
    dropped.clear();
  }

  void add(RequestState request, int item) {
    if (size == items.length) {
      requests = Arrays.copyOf(requests, 2 * size);
      items = Arrays.copyOf(items, 2 * size);
    }
    requests[size] = request;
    items[size++] = item;
    embeddings += request.items().embeddings(item);
  }

  /** Takes the latest of a request's items out and returns it; -1 if it has none. */
  int removeLast(RequestState request) {
    for (int at = size - 1; at >= 0; at--) {
      if (requests[at] == request) {
        final int item = items[at];
        final int behind = --size - at;
        System.arraycopy(requests, at + 1, requests, at, behind);
        System.arraycopy(items, at + 1, items, at, behind);
        requests[size] = null;
        embeddings -= request.items().embeddings(item);
        return item;
      }
    }
    return -1;
  }

  RequestState request(int at) {
    return Objects.requireNonNull(requests[at]);
  }

  int item(int at) {
    return items[at];
  }

  /** Where what is to be dropped is added. */
  List<String> dropped() {
    return dropped;
  }

  @Override
  public int total() {
    return size;
  }

  @Override
  public int embeddings() {
    return embeddings;
  }

  @Override
  public int count(int entry) {
    final RequestState request = plan.state(entry);
    int count = 0;
    for (int at = 0; at < size; at++) {
      count += requests[at] == request ? 1 : 0;
    }
    return count;
  }

  @Override
  public int item(int entry, int index) {
    final RequestState request = plan.state(entry);
    int left = index;
    for (int at = 0; at < size; at++) {
      if (requests[at] == request && left-- == 0) {
        return request.items().number(items[at]);
      }
    }
    throw new IndexOutOfBoundsException(
        "item index must be in [0, count): index=" + index + ", count=" + count(entry));
  }

  @Override
  public int droppedCount() {
    return dropped.size();
  }

  @Override
  public String dropped(int index) {
    return dropped.get(index);
  }
}
