package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Numbers of decodes that a machine serves alike: an executor pads a batch to a size that it has
 * recorded, multiplies few rows with other kernels than many, and cuts attention by the number of
 * rows. Between two classes a step may get shorter; within one it does not.
 *
 * <p>Not to be changed; any thread.
 *
 * @param upTo the most decodes of each class, rising; more than the last belong to the last
 */
public record RowClasses(List<Integer> upTo) {

  /** One class, of any number of decodes. */
  static final RowClasses ONE = new RowClasses(List.of(Integer.MAX_VALUE));

  /** Fewer steps say too little of a class. */
  private static final int FEWEST_STEPS = 8;

  private static final int LARGEST = 1 << 16;

  /** Copies the list. */
  public RowClasses {
    upTo = List.copyOf(upTo);
    if (upTo.isEmpty()) {
      throw new IllegalArgumentException("there must be a class of decodes");
    }
    for (int i = 1; i < upTo.size(); i++) {
      if (upTo.get(i - 1) >= upTo.get(i)) {
        throw new IllegalArgumentException("classes of decodes must rise: upTo=" + upTo);
      }
    }
  }

  /**
   * The classes that executors said, or else powers of two, of which neighbours are one where too
   * few steps were recorded.
   *
   * @param rows recorded steps
   */
  static RowClasses of(List<RunRows> rows) {
    final TreeSet<Integer> ends = new TreeSet<>();
    rows.forEach(some -> ends.addAll(some.run().steps().classEnds()));
    if (ends.isEmpty()) {
      IntStream.iterate(1, end -> end < LARGEST, end -> 2 * end).forEach(ends::add);
    }
    ends.add(LARGEST);
    return withEnough(counts(rows, ends));
  }

  private static SortedMap<Integer, Integer> counts(
      List<RunRows> rows, NavigableSet<Integer> ends) {
    final SortedMap<Integer, Integer> counts = new TreeMap<>();
    final StepFeatures step = new StepFeatures();
    for (RunRows some : rows) {
      for (int row : some.rows()) {
        some.run().steps().features(row, step);
        final Integer end = ends.ceiling(Math.min(step.decodeRequests(), LARGEST));
        if (step.decodeRequests() > 0 && end != null) {
          counts.merge(end, 1, Integer::sum);
        }
      }
    }
    return counts;
  }

  /** Joins classes with too few steps to the next above, the last of them to the one below. */
  private static RowClasses withEnough(SortedMap<Integer, Integer> counts) {
    final List<Integer> upTo = new ArrayList<>();
    int pending = 0;
    for (Map.Entry<Integer, Integer> each : counts.entrySet()) {
      pending += each.getValue();
      if (pending >= FEWEST_STEPS) {
        upTo.add(each.getKey());
        pending = 0;
      }
    }
    if (upTo.isEmpty()) {
      return ONE;
    }
    if (pending > 0) {
      upTo.set(upTo.size() - 1, LARGEST);
    }
    return new RowClasses(upTo);
  }

  int size() {
    return upTo.size();
  }

  /** The word for a class. */
  String name(int index) {
    final boolean isLast = index == upTo.size() - 1;
    return isLast && index == 0
        ? "any"
        : isLast ? "from_" + (upTo.get(index - 1) + 1) : "to_" + upTo.get(index);
  }

  /** The word for a class and all above it. */
  String from(int index) {
    return index == 0 ? "any" : "from_" + (upTo.get(index - 1) + 1);
  }

  /** The class of so many decodes, from 0. */
  int of(int decodes) {
    int index = 0;
    while (index < upTo.size() - 1 && decodes > upTo.get(index)) {
      index++;
    }
    return index;
  }
}
