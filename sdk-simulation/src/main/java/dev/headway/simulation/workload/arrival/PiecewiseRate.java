package dev.headway.simulation.workload.arrival;

import java.util.Arrays;
import java.util.List;

/** Stages with rates that change evenly, then a constant rate. */
final class PiecewiseRate implements RateProfile {
  private final List<Stage> stages;
  private final double rateAfter;
  private final double[] endSeconds;
  private final double[] endExpected;

  PiecewiseRate(List<Stage> stages, double rateAfter) {
    this.stages = List.copyOf(stages);
    this.rateAfter = rateAfter;
    this.endSeconds = new double[stages.size()];
    this.endExpected = new double[stages.size()];
    double seconds = 0;
    double expected = 0;
    for (int i = 0; i < endSeconds.length; i++) {
      final Stage stage = this.stages.get(i);
      seconds += stage.seconds();
      expected += stage.seconds() * (stage.fromRate() + stage.toRate()) / 2;
      endSeconds[i] = seconds;
      endExpected[i] = expected;
    }
  }

  @Override
  public double expectedBy(double seconds) {
    final int stage = firstNotBelow(endSeconds, seconds);
    final double start = stage == 0 ? 0 : endSeconds[stage - 1];
    final double before = stage == 0 ? 0 : endExpected[stage - 1];
    final double inside = seconds - start;
    if (stage == endSeconds.length) {
      return before + rateAfter * inside;
    }
    final Stage now = stages.get(stage);
    return before + inside * (now.fromRate() + slope(now) * inside / 2);
  }

  @Override
  public double timeOf(double expected) {
    final int stage = firstNotBelow(endExpected, expected);
    final double start = stage == 0 ? 0 : endSeconds[stage - 1];
    final double inside = expected - (stage == 0 ? 0 : endExpected[stage - 1]);
    if (inside == 0) {
      return start;
    }
    if (stage == endSeconds.length) {
      return start + inside / rateAfter;
    }
    final Stage now = stages.get(stage);
    // the root of inside = from * t + slope * t^2 / 2 that does not cancel
    final double from = now.fromRate();
    final double root = StrictMath.sqrt(Math.max(0, from * from + 2 * slope(now) * inside));
    return Math.min(endSeconds[stage], start + 2 * inside / (from + root));
  }

  private static double slope(Stage stage) {
    return (stage.toRate() - stage.fromRate()) / stage.seconds();
  }

  /** The first of ascending values that is not below the given one, or their number. */
  private static int firstNotBelow(double[] ascending, double value) {
    int index = Arrays.binarySearch(ascending, value);
    if (index < 0) {
      return -index - 1;
    }
    while (index > 0 && ascending[index - 1] == value) { // nothing arrives in a stage without rate
      index--;
    }
    return index;
  }
}
