package dev.headway.probes.otel.metric;

import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepPlanFigures;
import java.util.Set;

/**
 * How many run and wait, and how full the KV cache is: the gauges. One thread.
 *
 * <p>After lost records the counts of a plan are believed: what the run has more or less is the
 * same until the next plan.
 */
final class Occupancy {

  /** Own reasons of requests that were examined and passed over: what vLLM calls deferred. */
  private static final Set<String> DEFERRED =
      Set.of("max_loras", "stale_output", "policy_deferred", "prefix_in_progress");

  private final RunTimeline run;
  private final WaitMeter waits;
  private final LoadFigures figures;
  private final int usableBlocks;
  private int missingRunning;
  private int missingWaiting;

  Occupancy(RunTimeline run, WaitMeter waits, LoadFigures figures) {
    this.run = run;
    this.waits = waits;
    this.figures = figures;
    this.usableBlocks = Math.max(0, run.usableBlocks());
    idle();
  }

  void planned(StepPlanFigures plan) {
    if (run.droppedRecords() > 0) {
      missingRunning = plan.runningCount() - run.running().size();
      missingWaiting = plan.waitingCount() - run.waiting().size();
    }
    figures.blocks(plan.freeBlocks(), usableBlocks);
    show();
  }

  void completed() {
    if (run.running().isEmpty() && run.waiting().isEmpty()) {
      idle();
    }
  }

  void show() {
    show(run.running().size() + missingRunning, run.waiting().size() + missingWaiting);
  }

  /** No request is left. */
  void cleared() {
    show(0, 0);
    idle();
  }

  private void show(int running, int waiting) {
    figures.requests(running, waiting, waits.waitingFor(DEFERRED));
  }

  /** No block is held. */
  private void idle() {
    figures.idle(usableBlocks);
  }
}
