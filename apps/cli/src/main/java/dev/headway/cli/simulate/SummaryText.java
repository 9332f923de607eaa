package dev.headway.cli.simulate;

import dev.headway.api.schedule.WaitReason;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.RunFigures;
import java.util.Comparator;
import java.util.Formatter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The summary of a run for a person, at most 90 columns wide. */
public final class SummaryText {

  private static final String WAIT_ROW = "  %-14s%-26s%9s%16s%22s%n";
  private static final String ROW = "  %-14s%s%n";
  private static final String LATENCY_ROW = "  %-26s%13s%13s%13s%13s%n";

  /** Shares below it would be shown as 0.0 %. */
  private static final double LEAST_SHOWN = 0.0005;

  private final Formatter text = new Formatter(Locale.ROOT);

  private SummaryText() {}

  static String of(RunFigures figures, RunCost cost, Pace pace) {
    final SummaryText summary = new SummaryText();
    if (pace.isSimulated()) {
      summary.model(pace.settings());
    }
    summary.requests(figures, cost.isRealTime() ? "took" : "simulated");
    summary.latencies(figures.latencies());
    summary.resources(figures, pace.settings().config().limits().maxNumSeqs());
    summary.waits(figures);
    summary.cost(figures, cost);
    return summary.text.toString();
  }

  private void model(EngineSettings settings) {
    text.format(ROW, "model", StepTimesText.model(settings));
    text.format(ROW, "step times", StepTimesText.source(settings.latency()));
    final String remark = StepTimesText.remark(settings.latency());
    if (!remark.isEmpty()) {
      text.format(ROW, "", remark);
    }
  }

  private void requests(RunFigures figures, String took) {
    final RunFigures.Work work = figures.work();
    text.format(ROW, "requests", reasons("finished", figures.finishedTotal(), figures.finished()));
    if (figures.rejectedTotal() > 0) {
      text.format(ROW, "", reasons("rejected", figures.rejectedTotal(), figures.rejected()));
    }
    text.format(
        "  %-14s%s in %s steps%s; the device was %s%n",
        took,
        Units.duration(work.durationNs()),
        Units.count(work.steps()),
        work.emptySteps() == 0
            ? ""
            : " and "
                + Units.count(work.emptySteps())
                + (work.emptySteps() == 1 ? " empty one" : " empty ones"),
        idle(work));
    text.format(
        "  %-14s%s requests/s, %s output tokens/s, %s tokens/s in all%n",
        "throughput",
        Units.rate(work.perSecond(figures.finishedTotal())),
        Units.rate(work.perSecond(work.outputTokens())),
        Units.rate(work.perSecond(work.promptTokens() + work.outputTokens())));
    text.format("%n");
  }

  private static String idle(RunFigures.Work work) {
    final double share =
        work.durationNs() == 0 ? 0 : 1 - (double) work.busyNs() / work.durationNs();
    return share < LEAST_SHOWN ? "never idle" : "idle for " + Units.percent(share) + " of it";
  }

  private void latencies(RunFigures.Latencies latencies) {
    text.format(LATENCY_ROW, "latency", "mean", "p50", "p90", "p99");
    latency("time to first token", latencies.ttft());
    latency("time per output token", latencies.tpot());
    latency("end to end", latencies.endToEnd());
    text.format("%n");
  }

  private void latency(String name, RunFigures.Percentiles values) {
    if (values.count() == 0) {
      text.format(LATENCY_ROW, name, "-", "-", "-", "-");
      return;
    }
    text.format(
        LATENCY_ROW,
        name,
        Units.duration(values.meanNs()),
        Units.duration(values.p50Ns()),
        Units.duration(values.p90Ns()),
        Units.duration(values.p99Ns()));
  }

  private void resources(RunFigures figures, int maxNumSeqs) {
    final RunFigures.Memory memory = figures.memory();
    text.format(
        "  %-14s%s of at most %s requests on average over busy time%n",
        "running", Units.rate(memory.meanRunning()), Units.count(maxNumSeqs));
    text.format(
        "  %-14s%s of %s blocks used on average over busy time, %s at most%n",
        "KV cache",
        Units.percent(memory.meanBlocks() / memory.usableBlocks()),
        Units.count(memory.usableBlocks()),
        Units.percent((double) memory.mostBlocks() / memory.usableBlocks()));
    text.format(
        "  %-14s%s, %s tokens computed again%n",
        "preemptions", Units.count(memory.preemptions()), Units.count(memory.recomputedTokens()));
    final RunFigures.PrefixCache cache = figures.prefixCache();
    final String bound =
        Double.isNaN(cache.bound())
            ? ""
            : "; with endless memory at most " + Units.percent(cache.bound());
    text.format(
        "  %-14s%s of prompt tokens found%s%n",
        "prefix cache", Units.percent(cache.share()), bound);
    text.format("%n");
  }

  private void waits(RunFigures figures) {
    final long totalNs = figures.waitedTotalNs();
    text.format(
        "  %-14s%s over all requests%s%n",
        "waiting", Units.duration(totalNs), totalNs == 0 ? "" : ", for what had to change first:");
    if (totalNs > 0) {
      text.format(WAIT_ROW, "", "", "share", "time", "of it behind another");
    }
    figures.rootWaitedNs().entrySet().stream()
        .sorted(Map.Entry.<WaitReason, Long>comparingByValue(Comparator.reverseOrder()))
        .forEach(entry -> wait(figures, entry.getKey(), entry.getValue(), totalNs));
    if (figures.beforeQueueNs() > 0) {
      text.format(
          "  %-14s%s over all requests: what arrives during a step joins the queue when it ends%n",
          "to be queued", Units.duration(figures.beforeQueueNs()));
    }
    text.format("%n");
  }

  private void wait(RunFigures figures, WaitReason root, long ns, long totalNs) {
    final long ownNs =
        root == WaitReason.HEAD_OF_LINE ? 0 : figures.waitedNs().getOrDefault(root, 0L);
    text.format(
        WAIT_ROW,
        "",
        root.label(),
        Units.percent((double) ns / totalNs),
        Units.duration(ns),
        ns == ownNs ? "" : Units.duration(ns - ownNs));
  }

  private void cost(RunFigures figures, RunCost cost) {
    final long requests = figures.finishedTotal() + figures.rejectedTotal();
    text.format(
        "  %-14s%s for the %s%n",
        "this machine",
        Units.duration(cost.simulationNs()),
        cost.isRealTime()
            ? "run, the start of journal and engine included"
            : "simulation, "
                + Units.rate(RunCost.perSecond(requests, cost.simulationNs()))
                + " requests/s");
    final RunFigures.Percentiles scheduling = cost.scheduling();
    if (scheduling.count() > 0) {
      text.format(
          "  %-14sscheduling a step: %s p50, %s p90, %s p99%n",
          "",
          Units.duration(scheduling.p50Ns()),
          Units.duration(scheduling.p90Ns()),
          Units.duration(scheduling.p99Ns()));
    }
    if (cost.conversionNs() > 0) {
      text.format(
          "  %-14s%s for %s CSV rows, %s rows/s%n",
          "",
          Units.duration(cost.conversionNs()),
          Units.count(cost.csvRows()),
          Units.rate(RunCost.perSecond(cost.csvRows(), cost.conversionNs())));
    }
    final long resident = cost.footprint().residentBytes();
    text.format(
        "  %-14s%s%s of heap at most%n",
        "",
        resident == 0 ? "" : Units.mebibytes(resident) + " of memory, ",
        Units.mebibytes(cost.footprint().heapBytes()));
  }

  private static String reasons(String what, long total, Map<String, Long> counts) {
    final String detail =
        new TreeMap<>(counts)
            .entrySet().stream()
                .map(entry -> entry.getKey() + " " + Units.count(entry.getValue()))
                .collect(Collectors.joining(", "));
    return Units.count(total) + " " + what + (detail.isEmpty() ? "" : " (" + detail + ")");
  }
}
