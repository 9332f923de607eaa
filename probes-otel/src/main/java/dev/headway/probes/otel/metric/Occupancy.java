package dev.headway.probes.otel.metric;

import dev.headway.events.record.PlannedStep;

/** How many run and wait, and how full the KV cache is: the gauges. One thread. */
final class Occupancy {

  /** Own reasons of requests that were examined and passed over: what vLLM calls deferred. */
  private static final String[] DEFERRED = {
    "max_loras", "stale_output", "policy_deferred", "prefix_in_progress"
  };

  private final VllmMetrics vllm;
  private final HeadwayMetrics headway;
  private final WaitMeter waits;
  private final int usableBlocks;
  private int running;
  private int waiting;

  Occupancy(VllmMetrics vllm, HeadwayMetrics headway, WaitMeter waits, int usableBlocks) {
    this.vllm = vllm;
    this.headway = headway;
    this.waits = waits;
    this.usableBlocks = usableBlocks;
    idle();
  }

  void queued() {
    waiting++;
  }

  void admitted() {
    waiting--;
    running++;
  }

  void putBack() {
    running--;
    waiting++;
  }

  void ended(boolean wasRunning) {
    if (wasRunning) {
      running--;
    } else {
      waiting--;
    }
    show();
  }

  /** The plan's own counts, for when records are missing. */
  void believe(PlannedStep step) {
    running = step.runningCount();
    waiting = step.waitingCount();
  }

  void planned(PlannedStep step) {
    headway.planned(step);
    vllm.kvUsage.set(usableBlocks == 0 ? 0 : 1 - (double) step.freeBlocks() / usableBlocks);
    show();
  }

  /** Nobody is there any more. */
  void cleared() {
    running = 0;
    waiting = 0;
    show();
    idle();
  }

  /** Nobody holds a block. */
  void idle() {
    vllm.kvUsage.set(0);
    headway.blocks(usableBlocks);
  }

  private void show() {
    long deferred = 0;
    for (String reason : DEFERRED) {
      deferred += waits.waitingFor(reason);
    }
    vllm.running.set(running);
    vllm.waiting.set(waiting);
    vllm.waitingDeferred.set((double) deferred);
    vllm.waitingForCapacity.set((double) (waiting - deferred));
  }
}
