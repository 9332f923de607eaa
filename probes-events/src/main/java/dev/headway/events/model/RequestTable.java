package dev.headway.events.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Live requests by number: open addressing with linear probing, so that a step's entries are looked
 * up without a boxed key. One thread.
 *
 * @param <R> the value per request
 */
public final class RequestTable<R> {

  private static final long FREE = -1;

  private long[] numbers = new long[64];
  private @Nullable Object[] requests = new @Nullable Object[64];
  private int size;

  /** An empty table. */
  public RequestTable() {
    Arrays.fill(numbers, FREE);
  }

  /** The request with a number; null if there is none or the number is negative. */
  @SuppressWarnings("unchecked") // only R is put in
  public @Nullable R get(long number) {
    return number < 0 ? null : (R) requests[find(number)];
  }

  /** Adds a request; returns false if its number is taken or negative. */
  public boolean add(long number, R request) {
    if (number < 0) {
      return false;
    }
    if (2 * size >= numbers.length) {
      grow();
    }
    final int slot = find(number);
    if (numbers[slot] == number) {
      return false;
    }
    numbers[slot] = number;
    requests[slot] = request;
    size++;
    return true;
  }

  /** Removes the request of a number, if there is one. */
  public void remove(long number) {
    int hole = find(number);
    if (number < 0 || numbers[hole] != number) {
      return;
    }
    free(hole);
    size--;
    int slot = hole;
    while (true) { // move back what probed past the hole
      slot = (slot + 1) & (numbers.length - 1);
      if (numbers[slot] == FREE) {
        return;
      }
      final int home = home(numbers[slot]);
      final boolean reachable =
          (hole <= slot) ? (hole < home && home <= slot) : (hole < home || home <= slot);
      if (!reachable) {
        numbers[hole] = numbers[slot];
        requests[hole] = requests[slot];
        free(slot);
        hole = slot;
      }
    }
  }

  /** Removes all. */
  public void clear() {
    Arrays.fill(numbers, FREE);
    Arrays.fill(requests, null);
    size = 0;
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Passes every live request to {@code action}, in no particular order. */
  @SuppressWarnings("unchecked") // only R is put in
  public void forEach(Consumer<R> action) {
    for (Object request : requests) {
      if (request != null) {
        action.accept((R) request);
      }
    }
  }

  /** Returns the live requests in the order of their numbers. */
  public List<R> inOrder() {
    final long[] sorted =
        Arrays.stream(numbers).filter(number -> number != FREE).sorted().toArray();
    final List<R> ordered = new ArrayList<>(sorted.length);
    for (long number : sorted) {
      final R request = get(number);
      if (request != null) {
        ordered.add(request);
      }
    }
    return ordered;
  }

  private void free(int slot) {
    numbers[slot] = FREE;
    requests[slot] = null;
  }

  private int find(long number) {
    int slot = home(number);
    while (numbers[slot] != number && numbers[slot] != FREE) {
      slot = (slot + 1) & (numbers.length - 1);
    }
    return slot;
  }

  private int home(long number) {
    return (int) ((number * 0x9E3779B97F4A7C15L) >>> 32) & (numbers.length - 1);
  }

  private void grow() {
    final long[] oldNumbers = numbers;
    final @Nullable Object[] oldRequests = requests;
    numbers = new long[2 * oldNumbers.length];
    requests = new @Nullable Object[2 * oldNumbers.length];
    Arrays.fill(numbers, FREE);
    for (int old = 0; old < oldNumbers.length; old++) {
      if (oldNumbers[old] != FREE) {
        final int slot = find(oldNumbers[old]);
        numbers[slot] = oldNumbers[old];
        requests[slot] = oldRequests[old];
      }
    }
  }
}
