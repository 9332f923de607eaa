package dev.headway.report.profile;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.StepTimeline;
import dev.headway.report.analyze.Samples;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One line for each second of the run's clock in which steps were completed. One thread.
 *
 * <p>A second without steps has no line; the next line says how much time it covers.
 */
final class ConsoleStatistics {

  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
  private static final double P95 = 0.95;

  private final Consumer<String> console;
  private Samples scheduleNs = new Samples();
  private Samples runNs = new Samples();
  private long beganNs = ABSENT;
  private long tokens;
  private long preemptions;
  private @Nullable StepTimeline latest;

  ConsoleStatistics(Consumer<String> console) {
    this.console = console;
  }

  /** A new run has a new clock. */
  void restart() {
    report();
    beganNs = ABSENT;
  }

  void add(StepTimeline step) {
    final long beginNs = step.plan().beginNs();
    if (beganNs == ABSENT) {
      beganNs = beginNs;
    }
    scheduleNs.add((double) step.scheduleNs());
    if (step.wasExecuted()) {
      runNs.add((double) step.runNs());
    }
    tokens += step.plan().totalTokens();
    preemptions += step.changes().preempted().size();
    latest = step;
    if (step.outputNs() - beganNs >= SECOND_NS) {
      report();
    }
  }

  /** Prints what was collected, if anything was. */
  void report() {
    final StepTimeline last = latest;
    if (last == null) {
      return;
    }
    final long spanNs = Math.max(1, last.outputNs() - beganNs);
    console.accept(line(last, spanNs));
    beganNs = last.outputNs();
    scheduleNs = new Samples();
    runNs = new Samples();
    tokens = 0;
    preemptions = 0;
    latest = null;
  }

  private String line(StepTimeline last, long spanNs) {
    final int usable = last.run().usableBlocks();
    return String.format(
        Locale.ROOT,
        "scheduler profiling: %.1f s, %d steps, schedule %s ms, run %s ms (mean/p95),"
            + " %.0f tokens/s, running %d, waiting %d, KV %.1f %%, preemptions %d",
        (double) spanNs / SECOND_NS,
        scheduleNs.count(),
        meanAndP95(scheduleNs),
        meanAndP95(runNs),
        (double) tokens * SECOND_NS / spanNs,
        last.plan().runningCount(),
        last.plan().waitingCount(),
        100.0 * (usable - last.plan().freeBlocks()) / Math.max(1, usable),
        preemptions);
  }

  private static String meanAndP95(Samples ns) {
    return ns.count() == 0
        ? "-/-"
        : String.format(Locale.ROOT, "%.3f/%.3f", ns.mean() / 1e6, ns.sorted().quantile(P95) / 1e6);
  }
}
