package dev.headway.report.analyze;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A step whose scheduling took far longer than that of steps like it.
 *
 * @param step its number among the steps of its run that computed something, from 0
 * @param atSeconds from the begin of its run; NaN if instants are not known
 * @param scheduleMs what its scheduling took
 * @param times how many times the median of the steps that were compared with it
 * @param runMs what the model took
 * @param requests in the step; NaN if not known, as the next three
 * @param tokens computed
 * @param waiting requests that waited
 * @param preempted requests preempted
 */
public record Suspect(
    int step,
    double atSeconds,
    double scheduleMs,
    double times,
    double runMs,
    double requests,
    double tokens,
    double waiting,
    double preempted) {

  private static final int MOST = 10;

  /** A jump is this many times the median at least; deviations of steady steps are tiny. */
  private static final double LEAST_TIMES = 2;

  /** The worst of a profile, the longest first; at most ten. */
  static List<Suspect> of(StepTable table, Flags flags) {
    final List<Suspect> all = new ArrayList<>();
    for (boolean withPrompts : new boolean[] {false, true}) {
      final double median = flags.medianScheduleMs(table, withPrompts);
      for (int row = 0; row < table.size(); row++) {
        final double scheduleMs = table.scheduleMs.at(row);
        if (flags.isLongScheduled(row)
            && Flags.hasPrompts(table, row) == withPrompts
            && scheduleMs >= LEAST_TIMES * median) {
          keep(all, at(table, row, median));
        }
      }
    }
    all.sort(Comparator.comparingDouble(Suspect::scheduleMs).reversed());
    return List.copyOf(all.subList(0, Math.min(MOST, all.size())));
  }

  /** Keeps the list short: a profile may have millions of steps. */
  private static void keep(List<Suspect> all, Suspect one) {
    all.add(one);
    if (all.size() > 16 * MOST) {
      all.sort(Comparator.comparingDouble(Suspect::scheduleMs).reversed());
      all.subList(MOST, all.size()).clear();
    }
  }

  private static Suspect at(StepTable table, int row, double medianMs) {
    return new Suspect(
        (int) table.indexInRun.at(row),
        table.ageSeconds.at(row),
        table.scheduleMs.at(row),
        table.scheduleMs.at(row) / medianMs,
        table.runMs.at(row),
        table.prefillRequests.at(row) + table.decodeRequests.at(row),
        table.tokens.at(row),
        table.waiting.at(row),
        table.preempted.at(row));
  }
}
