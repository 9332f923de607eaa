package dev.headway.probes.csv;

import dev.headway.api.probe.Probe;

/** Scripts of this package for tests in others. */
public final class ScriptedJournals {

  private ScriptedJournals() {}

  /** Tells a probe what happens in {@link Scenarios#preemption}. */
  public static void playPreemption(Probe probe) {
    Scenarios.preemption().playTo(new ProbeReplay(probe));
  }
}
