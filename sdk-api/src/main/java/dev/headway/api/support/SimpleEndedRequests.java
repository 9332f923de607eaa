package dev.headway.api.support;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.step.EndedRequests;
import java.util.Arrays;
import java.util.Objects;

/** Numbers and ids of requests. One thread at a time; allocates only to grow. */
public final class SimpleEndedRequests implements EndedRequests {

  private long[] numbers = new long[16];
  private String[] ids = new String[16];
  private int size;

  /** Creates an empty list. */
  public SimpleEndedRequests() {}

  /** Adds a request; only its number and id are kept. */
  public void add(PlannedRequest request) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
      ids = Arrays.copyOf(ids, 2 * size);
    }
    numbers[size] = request.number();
    ids[size++] = request.id();
  }

  /** Removes all requests. */
  public void clear() {
    Arrays.fill(ids, 0, size, "");
    size = 0;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public long number(int index) {
    return numbers[Objects.checkIndex(index, size)];
  }

  @Override
  public String id(int index) {
    return ids[Objects.checkIndex(index, size)];
  }
}
