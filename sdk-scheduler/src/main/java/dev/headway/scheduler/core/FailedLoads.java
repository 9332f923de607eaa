package dev.headway.scheduler.core;

import dev.headway.api.step.TransferReport;
import org.jspecify.annotations.Nullable;

/** What becomes of requests whose KV was to be loaded and is not there. Engine thread only. */
interface FailedLoads {

  /**
   * Takes back what rests on blocks that are not there.
   *
   * @param plan the oldest step that is out, about to be answered; null between two steps
   * @param report names the blocks
   */
  void found(@Nullable PlanBuffer plan, TransferReport report, long nowNs);

  /** The results of the step have been taken over. */
  default void stepAnswered(long nowNs) {}
}
