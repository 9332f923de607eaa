package dev.headway.simulation.sweep;

import dev.headway.simulation.workload.RandomStream;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;

/** A parameter that varies in a sweep, and the values it takes. Immutable. */
public sealed interface SweepAxis {

  /** The parameter: an option of the command line without its dashes, or a load's option. */
  String name();

  /** What its column holds. */
  ColumnKind kind();

  /** A value for a random sample. */
  String draw(RandomStream random);

  /**
   * Values one by one.
   *
   * @param name the parameter
   * @param values as written, at least one, each once
   */
  record Listed(String name, List<String> values) implements SweepAxis {

    /**
     * Copies the values.
     *
     * @throws IllegalArgumentException if there is none, or one twice
     */
    public Listed {
      values = List.copyOf(values);
      if (values.isEmpty() || new HashSet<>(values).size() < values.size()) {
        throw new IllegalArgumentException(
            name + " must have at least one value, and each once: " + name + "=" + values);
      }
    }

    @Override
    public ColumnKind kind() {
      return ColumnKind.of(values);
    }

    @Override
    public String draw(RandomStream random) {
      return values.get(random.nextInt(values.size()));
    }
  }

  /**
   * Numbers between two others.
   *
   * @param name the parameter
   * @param min least value, as written
   * @param max largest value, as written; whole numbers are drawn if neither has a fraction
   * @param scale how they are spread
   */
  record Range(String name, String min, String max, Scale scale) implements SweepAxis {

    /** How drawn numbers are spread over a range. */
    public enum Scale {
      /** Evenly. */
      LINEAR,
      /** Evenly in their logarithms: as many between 1 and 10 as between 10 and 100. */
      LOG
    }

    private static final int DIGITS = 6;

    /**
     * Checks the ends.
     *
     * @throws IllegalArgumentException unless they are numbers, min below max, and above 0 on a
     *     logarithmic scale
     */
    public Range {
      final ColumnKind kind = ColumnKind.of(List.of(min, max));
      if (kind == ColumnKind.TEXT
          || !(Double.parseDouble(min) < Double.parseDouble(max))
          || (scale == Scale.LOG && !(Double.parseDouble(min) > 0))) {
        throw new IllegalArgumentException(
            "%1$s must have numbers min < max%2$s: %1$s.min=%3$s, %1$s.max=%4$s"
                .formatted(name, scale == Scale.LOG ? ", min > 0 with scale log" : "", min, max));
      }
    }

    @Override
    public ColumnKind kind() {
      return ColumnKind.of(List.of(min, max));
    }

    @Override
    public String draw(RandomStream random) {
      return kind() == ColumnKind.INTEGER
          ? Long.toString(whole(random.nextDouble()))
          : Numbers.rounded(at(random.nextDouble()), DIGITS);
    }

    /** Every whole number of a linear range gets an equal share of [0, 1). */
    private long whole(double share) {
      final long low = new BigDecimal(min).longValueExact();
      final long high = new BigDecimal(max).longValueExact();
      final double drawn =
          scale == Scale.LINEAR
              ? Math.floor(low + share * ((double) high - low + 1))
              : Math.rint(at(share));
      return Math.clamp((long) drawn, low, high);
    }

    private double at(double share) {
      final double low = Double.parseDouble(min);
      final double high = Double.parseDouble(max);
      return scale == Scale.LINEAR
          ? low + share * (high - low)
          : StrictMath.exp(
              StrictMath.log(low) + share * (StrictMath.log(high) - StrictMath.log(low)));
    }
  }
}
