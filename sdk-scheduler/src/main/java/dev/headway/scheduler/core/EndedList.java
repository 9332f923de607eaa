package dev.headway.scheduler.core;

import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;

/** Numbers and ids of requests that left since the plan before. Allocates only to grow. */
final class EndedList {

  private long[] numbers = new long[16];
  private String[] ids = new String[16];
  private int size;

  void add(RequestState request) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
      ids = Arrays.copyOf(ids, 2 * size);
    }
    numbers[size] = request.number();
    ids[size++] = request.id();
  }

  int size() {
    return size;
  }

  long number(int index) {
    return numbers[index];
  }

  String id(int index) {
    return ids[index];
  }

  void clear() {
    Arrays.fill(ids, 0, size, "");
    size = 0;
  }
}
