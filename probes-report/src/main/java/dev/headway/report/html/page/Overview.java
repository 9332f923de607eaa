package dev.headway.report.html.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.report.html.figures.GoodputFigures;
import dev.headway.report.html.figures.LatencyFigures;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.Slo;
import dev.headway.report.html.figures.StepSeries;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The verdict and the key numbers. */
final class Overview {

  private static final double NS_PER_S = 1e9;

  private final Markup out;
  private final ReportFigures run;

  Overview(Markup out, ReportFigures run) {
    this.out = out;
    this.run = run;
  }

  void writeVerdict(JournalEnd end, int runs, ReasonColors colors) {
    final RunVerdict verdict = new RunVerdict(run);
    out.open("section", "id", "verdict", "class", "verdict");
    out.element("h2", "What limited this run");
    out.element("p", verdict.sentence(), "class", "sentence");
    writeShares(colors);
    out.element("p", verdict.extent());
    final List<String> warnings = verdict.warnings(end, runs);
    if (!warnings.isEmpty()) {
      out.element("h3", "Keep in mind").open("ul", "class", "warnings");
      warnings.forEach(warning -> out.element("li", warning));
      out.close("ul");
    }
    out.close("section");
  }

  /** One bar of the shares of all causes. */
  private void writeShares(ReasonColors colors) {
    final double total = run.waits().totalNs();
    if (total <= 0) {
      return;
    }
    final List<String> names = colors.names();
    final double[] shares = new double[names.size()];
    run.waits()
        .by(Cause::root)
        .forEach(entry -> shares[colors.indexOf(entry.getKey())] += entry.getValue() / total);
    out.open("div", "class", "shares", "aria-hidden", "true");
    final List<String> labels = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      labels.add(names.get(i) + " " + Human.percent(shares[i]));
      out.element(
          "i",
          "",
          "class",
          colors.styles().get(i),
          "style",
          "flex-grow:" + Math.max(0.0005, shares[i]));
    }
    out.close("div");
    Section.legend(out, labels, colors.styles());
  }

  void writeKeyNumbers() {
    Section.open(out, "numbers", "Key numbers");
    writeTiles();
    final LatencyFigures times = run.latencies();
    final List<List<String>> rows = new ArrayList<>();
    rows.add(row("Time to first token (TTFT)", times.all().ttft()));
    rows.add(row("Time per output token (TPOT)", times.all().tpot()));
    rows.add(row("Time between tokens (ITL)", times.tokenGap()));
    rows.add(row("End to end (E2E)", times.all().endToEnd()));
    rows.add(row("Before the queue", times.ingress()));
    rows.add(row("Time waiting", times.waited()));
    rows.add(row("Step", run.steps().duration()));
    rows.add(row("Scheduling a step", run.steps().computed().schedule()));
    rows.add(row("Model run of a step", run.steps().computed().modelRun()));
    Section.table(out, List.of("", "count", "mean", "p50", "p90", "p95", "p99", "longest"), rows);
    out.open("div", "class", "pair");
    writeRequests();
    writeScheduler();
    out.close("div");
    Section.close(out);
  }

  private void writeTiles() {
    final StepSeries steps = run.steps();
    final double seconds = steps.spanNs() / NS_PER_S;
    out.open("div", "class", "tiles");
    tile(Human.count(run.facts().queued()), "requests accepted");
    tile(Human.duration(steps.spanNs()), "from first step to last output");
    tile(
        Human.number(seconds == 0 ? Double.NaN : run.facts().ended() / seconds),
        "requests ended per second");
    tile(
        Human.compact(seconds == 0 ? Double.NaN : steps.outputTokens() / seconds),
        "output tokens per second");
    tile(Human.duration(times(0.5)), "TTFT, median");
    tile(Human.duration(times(0.99)), "TTFT, p99");
    if (run.goodput().judged() > 0) {
      tile(Human.percent(run.goodput().share()), "met their SLO");
    } else {
      tile(Human.count(steps.preemptions()), "preemptions");
    }
    tile(Human.percent(steps.meanKvShare()), "KV cache in use, mean of the steps");
    out.close("div");
  }

  private double times(double quantile) {
    final Distribution ttft = run.latencies().all().ttft();
    return ttft.quantile(quantile);
  }

  private void tile(String figure, String what) {
    out.open("div").element("b", figure).element("span", what).close("div");
  }

  private void writeRequests() {
    final List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("Accepted", Human.count(run.facts().queued())));
    for (Map.Entry<String, Long> ending : run.facts().endings().entrySet()) {
      rows.add(List.of("Ended: " + ending.getKey(), Human.count(ending.getValue())));
    }
    rows.add(List.of("Alive at the end of the journal", Human.count(run.facts().unfinished())));
    rows.add(List.of("Rejected", Human.count(run.facts().rejected())));
    for (Map.Entry<String, Long> rejection : run.facts().rejections().entrySet()) {
      rows.add(List.of("Rejected: " + rejection.getKey(), Human.count(rejection.getValue())));
    }
    addGoodput(rows);
    final LatencyFigures figures = run.latencies();
    rows.add(List.of("Prompt tokens, median", Human.number(figures.promptTokens().quantile(0.5))));
    rows.add(List.of("Prompt tokens, p99", Human.number(figures.promptTokens().quantile(0.99))));
    rows.add(List.of("Output tokens, median", Human.number(figures.outputTokens().quantile(0.5))));
    out.open("div").element("h3", "Requests");
    Section.table(out, List.of("", "figure"), rows);
    out.close("div");
  }

  private void addGoodput(List<List<String>> rows) {
    final GoodputFigures goodput = run.goodput();
    if (goodput.judged() == 0) {
      return;
    }
    final double seconds = run.steps().spanNs() / NS_PER_S;
    rows.add(
        List.of(
            "Goodput, requests per second",
            Human.number(seconds == 0 ? Double.NaN : goodput.met() / seconds)));
    rows.add(
        List.of(
            "Goodput: " + limits(goodput),
            Human.percent(goodput.share()) + " of " + Human.count(goodput.judged())));
  }

  private static String limits(GoodputFigures goodput) {
    final Slo slo = goodput.slo();
    if (!slo.isSet()) {
      return goodput.commonTtftNs() == ABSENT
          ? "TTFT within the target of the request"
          : "TTFT ≤ " + Human.mark((double) goodput.commonTtftNs()) + ", the requests' target";
    }
    final List<String> limits = new ArrayList<>();
    addLimit(limits, "TTFT", slo.ttftNs());
    addLimit(limits, "TPOT", slo.tpotNs());
    addLimit(limits, "E2E", slo.endToEndNs());
    return String.join(", ", limits);
  }

  private static void addLimit(List<String> limits, String name, long ns) {
    if (ns != ABSENT) {
      limits.add(name + " ≤ " + Human.mark((double) ns));
    }
  }

  private void writeScheduler() {
    final StepSeries steps = run.steps();
    final double seconds = steps.spanNs() / NS_PER_S;
    final double tokens = Math.max(1, steps.tokens());
    final List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("Steps", Human.count(steps.steps())));
    rows.add(
        List.of(
            "Steps that computed nothing", Human.count(steps.steps() - steps.computed().count())));
    if (steps.failedSteps() > 0) {
      rows.add(List.of("Steps that failed", Human.count(steps.failedSteps())));
    }
    rows.add(List.of("Tokens computed", Human.compact(steps.tokens())));
    rows.add(
        List.of(
            "Tokens computed per second",
            Human.compact(seconds == 0 ? Double.NaN : steps.tokens() / seconds)));
    rows.add(List.of("Share of prefill tokens", Human.percent(steps.prefillTokens() / tokens)));
    rows.add(
        List.of(
            "Recompute tax: tokens computed again",
            Human.percent(steps.recomputedTokens() / tokens)));
    rows.add(
        List.of(
            "Scheduling share of step time",
            Human.percent(
                steps.computed().schedule().sum() / Math.max(1, steps.duration().sum()))));
    rows.add(List.of("Idle: no step at the device", Human.percent(steps.idleShare())));
    rows.add(List.of("Running, mean of the steps", Human.number(steps.meanRunning())));
    rows.add(List.of("Running, most", Human.count(steps.mostRunning())));
    rows.add(List.of("Waiting, most", Human.count(steps.mostWaiting())));
    rows.add(List.of("Preemptions", Human.count(steps.preemptions())));
    rows.add(List.of("Prefix cache: prompt tokens found", Human.percent(run.kv().hitShare())));
    out.open("div").element("h3", "Scheduler");
    Section.table(out, List.of("", "figure"), rows);
    out.close("div");
  }

  /** A row of statistics of times. */
  static List<String> row(String name, Distribution ns) {
    if (ns.isEmpty()) {
      return List.of(name, "0", "–", "–", "–", "–", "–", "–");
    }
    return List.of(
        name,
        Human.count(ns.count()),
        Human.duration(ns.mean()),
        Human.duration(ns.quantile(0.5)),
        Human.duration(ns.quantile(0.9)),
        Human.duration(ns.quantile(0.95)),
        Human.duration(ns.quantile(0.99)),
        Human.duration(ns.max()));
  }
}
