package dev.headway.probes.otel.metric;

import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.StepPlanFigures;
import java.util.List;
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
  private final List<EngineMeter> engines;
  private final HeadwayMetrics headway;
  private final WaitMeter waits;
  private final int usableBlocks;
  private int missingRunning;
  private int missingWaiting;

  Occupancy(RunTimeline run, List<EngineMeter> engines, HeadwayMetrics headway, WaitMeter waits) {
    this.run = run;
    this.engines = engines;
    this.headway = headway;
    this.waits = waits;
    this.usableBlocks = Math.max(0, run.usableBlocks());
    idle();
  }

  void planned(StepPlanFigures plan) {
    if (run.droppedRecords() > 0) {
      missingRunning = plan.runningCount() - run.running().size();
      missingWaiting = plan.waitingCount() - run.waiting().size();
    }
    headway.blocks(plan.freeBlocks());
    engines.forEach(each -> each.blocks(usableBlocks - plan.freeBlocks(), usableBlocks));
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
    final int deferred = waits.waitingFor(DEFERRED);
    engines.forEach(each -> each.occupied(running, waiting, deferred));
  }

  /** No block is held. */
  private void idle() {
    engines.forEach(EngineMeter::idle);
    headway.blocks(usableBlocks);
  }
}
