package dev.headway.simulation.fit;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.simulation.model.ExpertsSpec;
import java.util.Map;
import java.util.TreeMap;

/**
 * How unevenly a router chose in recorded steps: the {@link ExpertsSpec#routingSkew} with which the
 * squares of what is left between recorded and expected numbers of experts are least.
 *
 * @param value 0 if too few steps say how many experts computed
 * @param steps that say so
 * @param meanError mean of {@code |expected / recorded - 1|}; not a number without steps
 * @param meanErrorWithout the same without a skew
 */
public record RoutingSkew(double value, int steps, double meanError, double meanErrorWithout) {

  /** Nothing is known. */
  public static final RoutingSkew UNKNOWN = new RoutingSkew(0, 0, Double.NaN, Double.NaN);

  private static final int FEWEST_STEPS = 20;
  private static final double MOST = 4;
  private static final double ENOUGH = 1e-3;
  private static final double GOLDEN = (Math.sqrt(5) - 1) / 2;

  /** Steps of equally many tokens, to within a sixteenth. */
  private static final class Group {
    private int steps;
    private double tokens;
    private double activated;
  }

  /** Of the steps of a model with such experts. */
  static RoutingSkew of(RecordedSteps steps, ExpertsSpec experts) {
    final Map<Integer, Group> groups = new TreeMap<>();
    int count = 0;
    for (int row = 0; row < steps.size(); row++) {
      final long activated = steps.activatedExperts(row);
      if (activated != ABSENT && activated > 0 && steps.tokens(row) > 0) {
        final Group group = groups.computeIfAbsent(size(steps.tokens(row)), size -> new Group());
        group.steps++;
        group.tokens += steps.tokens(row);
        group.activated += (double) activated / experts.layers();
        count++;
      }
    }
    if (count < FEWEST_STEPS) {
      return UNKNOWN;
    }
    final double skew = least(experts, groups);
    return new RoutingSkew(
        skew,
        count,
        meanError(experts.withRoutingSkew(skew), groups, count),
        meanError(experts.withRoutingSkew(0), groups, count));
  }

  /** Exact up to 16; then sixteen to each doubling. */
  private static int size(long tokens) {
    return tokens <= 16
        ? (int) tokens
        : 16 + (int) Math.round(16 * Math.log(tokens / 16.0) / Math.log(2));
  }

  /** By golden sections: with more skew fewer experts are touched by any number of tokens. */
  private static double least(ExpertsSpec experts, Map<Integer, Group> groups) {
    double low = 0;
    double high = MOST;
    while (high - low > ENOUGH) {
      final double left = high - GOLDEN * (high - low);
      final double right = low + GOLDEN * (high - low);
      if (squares(experts.withRoutingSkew(left), groups)
          <= squares(experts.withRoutingSkew(right), groups)) {
        high = right;
      } else {
        low = left;
      }
    }
    return low < ENOUGH ? 0 : (low + high) / 2;
  }

  private static double squares(ExpertsSpec experts, Map<Integer, Group> groups) {
    double sum = 0;
    for (Group group : groups.values()) {
      final double left =
          experts.touched(group.tokens / group.steps) - group.activated / group.steps;
      sum += group.steps * left * left;
    }
    return sum;
  }

  private static double meanError(ExpertsSpec experts, Map<Integer, Group> groups, int count) {
    double sum = 0;
    for (Group group : groups.values()) {
      sum +=
          group.steps
              * Math.abs(
                  experts.touched(group.tokens / group.steps) * group.steps / group.activated - 1);
    }
    return sum / count;
  }
}
