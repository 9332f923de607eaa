package dev.headway.simulation.kernel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A measured function of a few variables, interpolated linearly between the measurements: along the
 * first variable between the two nearest values, and at each of those along the next, so that every
 * value of a variable may have other values of the next. Below the smallest value the smallest
 * counts; beyond the largest the line through the last two goes on, and never falls, or the largest
 * counts in a table that is {@linkplain Builder#buildLevel level} there.
 *
 * <p>Immutable; reading allocates nothing.
 */
final class GridTable {

  private final double[] axis;
  private final GridTable[] below;
  private final double[] values;
  private final boolean level;

  private GridTable(double[] axis, GridTable[] below, double[] values, boolean level) {
    this.level = level;
    this.axis = axis;
    this.below = below;
    this.values = values;
  }

  /** Collects measurements; of several at one point the mean counts. */
  static final class Builder {

    private final Map<List<Double>, double[]> sums = new TreeMap<>(Builder::compare);

    private static int compare(List<Double> one, List<Double> other) {
      for (int i = 0; i < one.size(); i++) {
        final int order = Double.compare(one.get(i), other.get(i));
        if (order != 0) {
          return order;
        }
      }
      return 0;
    }

    /** Adds a measurement; the point is the values of the variables, in the order of reading. */
    void add(double value, double... point) {
      final double[] sum =
          sums.computeIfAbsent(Arrays.stream(point).boxed().toList(), at -> new double[2]);
      sum[0] += value;
      sum[1]++;
    }

    boolean isEmpty() {
      return sums.isEmpty();
    }

    GridTable build() {
      return build(false);
    }

    /** Beyond the largest value of a variable the largest counts. */
    GridTable buildLevel() {
      return build(true);
    }

    private GridTable build(boolean level) {
      if (sums.isEmpty()) {
        throw new IllegalStateException("a table needs a measurement");
      }
      final List<Map.Entry<List<Double>, double[]>> rows = new ArrayList<>(sums.entrySet());
      return table(rows, 0, rows.getFirst().getKey().size(), level);
    }

    private static GridTable table(
        List<Map.Entry<List<Double>, double[]>> rows, int depth, int variables, boolean level) {
      final List<Double> axis = new ArrayList<>();
      final List<GridTable> below = new ArrayList<>();
      final List<Double> values = new ArrayList<>();
      int from = 0;
      while (from < rows.size()) {
        final double at = rows.get(from).getKey().get(depth);
        int to = from;
        while (to < rows.size() && rows.get(to).getKey().get(depth) == at) {
          to++;
        }
        axis.add(at);
        if (depth + 1 < variables) {
          below.add(table(rows.subList(from, to), depth + 1, variables, level));
        } else {
          final double[] sum = rows.get(from).getValue();
          values.add(sum[0] / sum[1]);
        }
        from = to;
      }
      return new GridTable(toArray(axis), below.toArray(GridTable[]::new), toArray(values), level);
    }

    private static double[] toArray(List<Double> list) {
      return list.stream().mapToDouble(Double::doubleValue).toArray();
    }
  }

  /** The smallest value that was measured. */
  double smallest() {
    double smallest = Double.POSITIVE_INFINITY;
    for (double value : values) {
      smallest = Math.min(smallest, value);
    }
    for (GridTable table : below) {
      smallest = Math.min(smallest, table.smallest());
    }
    return smallest;
  }

  /** The value at a point of one variable. */
  double at(double x) {
    return interpolate(x, 0, 0, 0, 1);
  }

  /** The value at a point of two variables. */
  double at(double x, double y) {
    return interpolate(x, y, 0, 0, 2);
  }

  /** The value at a point of four variables. */
  double at(double x, double y, double z, double u) {
    return interpolate(x, y, z, u, 4);
  }

  private double interpolate(double x, double y, double z, double u, int variables) {
    final int last = axis.length - 1;
    if (last == 0 || x <= axis[0]) {
      return value(0, y, z, u, variables);
    }
    final int found = Arrays.binarySearch(axis, x);
    if (found >= 0) {
      return value(found, y, z, u, variables);
    }
    if (level && x > axis[last]) {
      return value(last, y, z, u, variables);
    }
    final int upper = Math.min(-found - 1, last);
    final double low = value(upper - 1, y, z, u, variables);
    final double high = value(upper, y, z, u, variables);
    final double share = (x - axis[upper - 1]) / (axis[upper] - axis[upper - 1]);
    return share <= 1 ? low + share * (high - low) : high + (share - 1) * Math.max(0, high - low);
  }

  private double value(int index, double y, double z, double u, int variables) {
    return variables == 1 ? values[index] : below[index].interpolate(y, z, u, 0, variables - 1);
  }
}
