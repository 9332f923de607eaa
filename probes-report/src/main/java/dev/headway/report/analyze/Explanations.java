package dev.headway.report.analyze;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says why figures that sound alike differ, with the numbers of a profile. */
final class Explanations {

  private static final double NOTABLE = 0.01;

  private Explanations() {}

  static List<String> of(StepTable table, Flags flags) {
    final List<String> lines = new ArrayList<>();
    scheduling(table, lines);
    throughputs(table, lines);
    outputs(table, lines);
    shares(table, lines);
    outliers(table, flags, lines);
    return lines;
  }

  private static void scheduling(StepTable table, List<String> lines) {
    if (table.scheduleMs.present() > 0 && table.scheduleMs.sum() == 0) {
      lines.add("schedule_* are 0: in simulated time only the model run takes any.");
    }
  }

  private static void throughputs(StepTable table, List<String> lines) {
    final double busySeconds = table.totalMs.sum() / 1e3;
    final double spanSeconds = table.spanSeconds();
    if (!(spanSeconds > 0)) {
      lines.add("throughput_wall is absent, since the profile has no instants.");
      return;
    }
    final double idle = spanSeconds - busySeconds;
    final String numbers =
        String.format(Locale.ROOT, "%.3f s of steps in %.3f s", busySeconds, spanSeconds);
    if (idle > NOTABLE * spanSeconds) {
      lines.add(
          "throughput_busy leaves out the time between steps: "
              + numbers
              + String.format(
                  Locale.ROOT,
                  ", %.1f %% of it idle or taking results over.",
                  100 * idle / spanSeconds));
    } else if (idle < -NOTABLE * spanSeconds) {
      lines.add(
          "throughput_busy counts steps that overlap twice, so it is too low: " + numbers + ".");
    } else {
      lines.add("throughput_busy and throughput_wall agree: " + numbers + ".");
    }
  }

  private static void outputs(StepTable table, List<String> lines) {
    if (table.producedTokens.present() > 0 && table.tokens.sum() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "throughput_output counts tokens that came out: %.0f, next to %.0f that were"
                  + " computed, prompts and recomputation included.",
              table.producedTokens.sum(),
              table.tokens.sum()));
    }
  }

  private static void shares(StepTable table, List<String> lines) {
    final double prefills = table.prefillRequests.sum();
    final double requests = prefills + table.decodeRequests.sum();
    if (requests > 0 && table.prefillTokens.present() > 0) {
      lines.add(
          String.format(
              Locale.ROOT,
              "prefill is %.1f %% of entries and %.1f %% of tokens: a decode has one token, or a"
                  + " few drafts, a prompt's chunk has many.",
              100 * prefills / requests,
              100 * table.prefillTokens.sum() / table.tokens.sum()));
    }
  }

  private static void outliers(StepTable table, Flags flags, List<String> lines) {
    if (flags.outliers() == 0) {
      return;
    }
    double ms = 0;
    for (int step = 0; step < table.size(); step++) {
      ms += flags.isOutlier(step) ? table.totalMs.at(step) : 0;
    }
    lines.add(
        String.format(
            Locale.ROOT,
            "%d outliers (beyond the median + 8 MAD of their kind) took %.1f %% of the time; they"
                + " are in the first view and not in the second.",
            flags.outliers(),
            100 * ms / table.totalMs.sum()));
  }
}
