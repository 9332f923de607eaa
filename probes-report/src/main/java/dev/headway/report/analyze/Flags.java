package dev.headway.report.analyze;

import dev.headway.toolbox.stats.SortedSample;
import java.util.function.IntPredicate;

/**
 * What is odd about steps. Nothing is dropped for it.
 *
 * <p>An outlier took longer to schedule or to run than the median plus 8 median absolute
 * deviations. Steps with prompts and steps of decodes only are judged apart, since their times lie
 * around two different values; so are figures that are all equal: they have no outliers.
 */
final class Flags {

  private static final double DEVIATIONS = 8;
  private static final double MEDIAN = 0.5;

  private final boolean[] warmUp;
  private final boolean[] outlier;
  private final boolean[] odd;
  private final boolean[] longScheduled;

  private Flags(int steps) {
    warmUp = new boolean[steps];
    outlier = new boolean[steps];
    odd = new boolean[steps];
    longScheduled = new boolean[steps];
  }

  static Flags of(StepTable table, WarmUp rule) {
    final Flags flags = new Flags(table.size());
    for (int step = 0; step < table.size(); step++) {
      flags.warmUp[step] = rule.holds(table, step);
    }
    for (boolean withPrompts : new boolean[] {false, true}) {
      flags.flag(flags.longScheduled, table, table.scheduleMs, withPrompts);
      flags.flag(flags.outlier, table, table.runMs, withPrompts);
    }
    for (int step = 0; step < table.size(); step++) {
      flags.outlier[step] |= flags.longScheduled[step];
      flags.odd[step] = flags.warmUp[step] || flags.outlier[step];
    }
    return flags;
  }

  /** Steps that are warm-up or outliers. */
  boolean[] odd() {
    return odd;
  }

  int warmUps() {
    return count(warmUp);
  }

  int outliers() {
    return count(outlier);
  }

  boolean isOutlier(int step) {
    return outlier[step];
  }

  /** Whether it took too long to schedule, whatever the model took. */
  boolean isLongScheduled(int step) {
    return longScheduled[step];
  }

  /** Of steps that are judged together. */
  double medianScheduleMs(StepTable table, boolean withPrompts) {
    return table
        .scheduleMs
        .sorted(step -> hasPrompts(table, step) == withPrompts && !warmUp[step])
        .quantile(MEDIAN);
  }

  private void flag(boolean[] target, StepTable table, Samples figures, boolean withPrompts) {
    final IntPredicate isJudged = step -> hasPrompts(table, step) == withPrompts && !warmUp[step];
    final SortedSample sorted = figures.sorted(isJudged);
    final double deviation = sorted.medianAbsoluteDeviation();
    if (!(deviation > 0)) {
      return;
    }
    final double limit = sorted.quantile(MEDIAN) + DEVIATIONS * deviation;
    for (int step = 0; step < table.size(); step++) {
      target[step] |= isJudged.test(step) && figures.at(step) > limit;
    }
  }

  static boolean hasPrompts(StepTable table, int step) {
    return table.prefillRequests.at(step) > 0;
  }

  private static int count(boolean[] flags) {
    int count = 0;
    for (boolean flag : flags) {
      count += flag ? 1 : 0;
    }
    return count;
  }
}
