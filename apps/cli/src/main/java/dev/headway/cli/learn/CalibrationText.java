package dev.headway.cli.learn;

import dev.headway.loadgen.run.LoadRun;
import dev.headway.simulation.calibrate.Calibration;
import dev.headway.simulation.calibrate.Calibration.FirstTokenTerms;
import dev.headway.simulation.calibrate.FirstSteps;
import dev.headway.simulation.calibrate.LatencyComparison;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a calibration says, on a terminal. Stateless. */
final class CalibrationText {

  private static final double[] SHARES = {0.5, 0.9, 0.99};
  private static final double NOTABLE = 0.02;

  private CalibrationText() {}

  static String of(Calibration calibration) {
    final StringBuilder text = new StringBuilder();
    text.append(matched(calibration)).append("\n\n");
    text.append(String.format("%-24s %12s %12s %8s%n", "", "measured", "simulated", "error"));
    for (LatencyMetric metric : LatencyMetric.values()) {
      append(text, calibration.metric(metric));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "%-24s %12.1f %12.1f %8s%n%n",
            "output tokens/s",
            Calibration.outputTokensPerSecond(calibration.measured()),
            Calibration.outputTokensPerSecond(calibration.simulated()),
            percent(
                Calibration.outputTokensPerSecond(calibration.simulated())
                        / Calibration.outputTokensPerSecond(calibration.measured())
                    - 1)));
    appendWithoutFirst(text, calibration);
    findings(calibration).forEach(finding -> text.append(finding).append('\n'));
    return text.toString();
  }

  private static void appendWithoutFirst(StringBuilder text, Calibration calibration) {
    if (calibration.firstSteps().count() > 0) {
      text.append(firstSteps(calibration.firstSteps())).append(" Without that:\n");
      calibration
          .withoutFirstSteps()
          .forEach(
              (metric, comparison) ->
                  text.append(
                      row(
                          metric.title(),
                          comparison.measured().mean(),
                          comparison.simulated().mean())));
      text.append('\n');
    }
  }

  /** What the first steps of their kind took, in a sentence. */
  static String firstSteps(FirstSteps first) {
    return String.format(
        Locale.ROOT,
        "%s measured steps, the first of their kind%s, took %s longer than the simulated steps most"
            + " like them.",
        Human.count(first.count()),
        first.isGuessed()
            ? " (a guess, since this executor does not report it: the first steps with so many"
                + " decodes, or with prefill of so many tokens, counted in sixteens)"
            : "",
        Human.duration((double) first.excessNs()));
  }

  static String matched(Calibration calibration) {
    return Human.count(calibration.pairs().size())
        + " requests matched by "
        + (calibration.isById() ? "id" : "their order")
        + warmUps(calibration)
        + (calibration.unlike() == 0
            ? ""
            : ", " + Human.count(calibration.unlike()) + " of them with other lengths")
        + alone(calibration)
        + "; "
        + Human.count(calibration.measured().failed())
        + " failed when measured, "
        + Human.count(calibration.simulated().failed())
        + " when simulated";
  }

  /** How many are not of the load, but from before it. */
  private static String warmUps(Calibration calibration) {
    final long count =
        calibration.pairs().stream()
            .filter(pair -> pair.measured().id().contains(LoadRun.WARM_UP))
            .count();
    return count == 0 ? "" : ", " + Human.count(count) + " of them sent to warm up";
  }

  /** How many requests of either run have no other. */
  private static String alone(Calibration calibration) {
    final int pairs = calibration.pairs().size();
    final int measured = calibration.measured().requests().size() - pairs;
    final int simulated = calibration.simulated().requests().size() - pairs;
    return measured + simulated == 0
        ? ""
        : "; without a match: "
            + Human.count(measured)
            + " measured, "
            + Human.count(simulated)
            + " simulated";
  }

  private static void append(StringBuilder text, LatencyComparison comparison) {
    text.append(
        row(
            comparison.metric().title(),
            comparison.measured().mean(),
            comparison.simulated().mean()));
    for (double share : SHARES) {
      text.append(
          row(
              "  p" + Math.round(100 * share),
              comparison.measured().quantile(share),
              comparison.simulated().quantile(share)));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "  per request: mean error %.1f %%, Pearson %.3f, Spearman %.3f%n",
            100 * comparison.meanError(),
            comparison.pearson(),
            comparison.spearman()));
  }

  private static String row(String name, double measured, double simulated) {
    return String.format(
        Locale.ROOT,
        "%-24s %12s %12s %8s%n",
        name,
        Human.duration(Math.rint(measured)),
        Human.duration(Math.rint(simulated)),
        percent(simulated / measured - 1));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, "%+.1f %%", 100 * share);
  }

  /** Which term is off, in sentences and a line for each part of them. */
  static List<String> findings(Calibration calibration) {
    final List<String> findings = new ArrayList<>();
    final double decode = calibration.metric(LatencyMetric.TPOT).bias();
    findings.add(
        Math.abs(decode) < NOTABLE
            ? "Decode steps are right: the time per output token is within 2 %."
            : String.format(
                Locale.ROOT,
                "Decode steps are %.1f %% too %s: look at beta_forward of decodes and at"
                    + " beta_host.",
                100 * Math.abs(decode),
                decode > 0 ? "long" : "short"));
    final FirstTokenTerms terms = calibration.firstTokenTerms();
    final LatencyComparison ttft = calibration.metric(LatencyMetric.TTFT);
    final double mean = ttft.measured().mean();
    final double error = ttft.simulated().mean() - mean;
    if (Math.abs(error / mean) < NOTABLE) {
      findings.add("The time to first token is within 2 %.");
    } else {
      final double tokens =
          calibration.pairs().stream()
              .mapToInt(pair -> pair.measured().inputTokens())
              .average()
              .orElse(0);
      final double own = terms.constantNs() + terms.perTokenNs() * tokens;
      findings.add(
          "The time to first token is "
              + Human.duration(Math.rint(Math.abs(error)))
              + " too "
              + (error > 0 ? "long" : "short")
              + "; its parts, as requests at the shortest queues show them:");
      findings.add(
          part(terms.constantNs(), "whatever the prompt: alpha_ingress, the constant of a step"));
      findings.add(part(terms.perTokenNs() * tokens, "by its tokens: prefill"));
      findings.add(
          part(
              error - own,
              "in the queue, which follows from these, or from other limits than the server's"));
    }
    return findings;
  }

  private static String part(double ns, String of) {
    return String.format("%12s  %s", signed(ns), of);
  }

  private static String signed(double ns) {
    return (ns < 0 ? "-" : "+") + Human.duration(Math.rint(Math.abs(ns)));
  }
}
