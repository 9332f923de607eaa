package dev.headway.simulation.fleet;

import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.GroupLatency;

/**
 * Instances and the router before them.
 *
 * @param engine of every instance
 * @param instances how many, >= 1
 * @param router the routing policy with its options, as {@code RoutingPolicies} reads it
 * @param signalDelayNs how much later than it was so the router sees what instances report: loads
 *     and contents of KV caches; 0 for at once. What the router does itself it knows at once.
 * @param lockstep whether the instances are ranks of one server that run every step together; the
 *     engine's latency is a {@link GroupLatency} then
 */
public record FleetSettings(
    EngineSettings engine, int instances, String router, long signalDelayNs, boolean lockstep) {

  /** What a router that polls or subscribes is late by, unless set. */
  public static final long DEFAULT_SIGNAL_DELAY_NS = 50_000_000;

  /** Checks. */
  public FleetSettings {
    if (instances < 1 || instances > 1_024) {
      throw new IllegalArgumentException("instances must be in [1, 1024]: instances=" + instances);
    }
    if (signalDelayNs < 0) {
      throw new IllegalArgumentException(
          "signalDelayNs must be >= 0: signalDelayNs=" + signalDelayNs);
    }
    if (lockstep && !(engine.latency() instanceof GroupLatency)) {
      throw new IllegalArgumentException(
          "the latency of ranks in lockstep must be one of groups: latency=" + engine.latency());
    }
  }

  /** Instances that run on their own. */
  public FleetSettings(EngineSettings engine, int instances, String router, long signalDelayNs) {
    this(engine, instances, router, signalDelayNs, false);
  }
}
