package dev.headway.simulation.sweep;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which cells a sweep has: every combination of the values of its axes, or a random sample of them.
 * Which parameters a cell has is a function of the plan and the cell's number alone. Immutable.
 *
 * @param axes what varies; of a grid, the last one fastest
 * @param random null for a grid
 * @param capacity what is looked for in every cell, null if a cell is a single run
 */
public record SweepPlan(
    List<SweepAxis> axes, @Nullable RandomSample random, @Nullable CapacitySearch capacity) {

  /** Most cells of a plan. */
  public static final int MOST_CELLS = 1_000_000;

  /**
   * Checks that it makes sense.
   *
   * @throws IllegalArgumentException if a parameter is named twice, a grid has a range, or there
   *     are more than {@link #MOST_CELLS} cells
   */
  public SweepPlan {
    axes = List.copyOf(axes);
    requireEachOnce(axes, capacity);
    requireCells(axes, random);
  }

  private static void requireEachOnce(List<SweepAxis> axes, @Nullable CapacitySearch capacity) {
    final Set<String> names = new HashSet<>();
    for (SweepAxis axis : axes) {
      if (!names.add(axis.name())) {
        throw new IllegalArgumentException("a parameter must vary once: name=" + axis.name());
      }
    }
    if (capacity != null && names.contains(capacity.parameter())) {
      throw new IllegalArgumentException(
          "a parameter that is searched must not vary: capacity.parameter=" + capacity.parameter());
    }
  }

  private static void requireCells(List<SweepAxis> axes, @Nullable RandomSample random) {
    long cells = random == null ? 1 : random.samples();
    if (random == null) {
      for (SweepAxis axis : axes) {
        if (!(axis instanceof SweepAxis.Listed listed)) {
          throw new IllegalArgumentException(
              "a grid must have listed values; ranges are for random: name=" + axis.name());
        }
        cells = Math.min(MOST_CELLS + 1L, cells * listed.values().size());
      }
    }
    if (cells < 1 || cells > MOST_CELLS) {
      throw new IllegalArgumentException(
          "a sweep must have 1 to "
              + MOST_CELLS
              + " cells"
              + (cells < 1 ? ": cells=" + cells : ""));
    }
  }

  /** How many cells there are. */
  public int cells() {
    if (random != null) {
      return random.samples();
    }
    int cells = 1;
    for (SweepAxis axis : axes) {
      cells *= listed(axis).size();
    }
    return cells;
  }

  /**
   * A cell.
   *
   * @param number in [1, cells]
   */
  public SweepCell cell(int number) {
    if (number < 1 || number > cells()) {
      throw new IllegalArgumentException(
          "number must be in [1, cells]: number=" + number + ", cells=" + cells());
    }
    final Map<String, String> parameters = new LinkedHashMap<>();
    int combinations = random == null ? cells() : 0;
    int left = number - 1;
    for (SweepAxis axis : axes) {
      if (random != null) {
        parameters.put(axis.name(), random.value(axis, number));
      } else {
        final List<String> values = listed(axis);
        combinations /= values.size();
        parameters.put(axis.name(), values.get(left / combinations));
        left %= combinations;
      }
    }
    return new SweepCell(number, parameters);
  }

  private static List<String> listed(SweepAxis axis) {
    return ((SweepAxis.Listed) axis).values();
  }
}
