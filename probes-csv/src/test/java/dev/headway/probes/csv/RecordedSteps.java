package dev.headway.probes.csv;

import dev.headway.api.probe.Probe;

/** Steps that compute something, for probes of other packages. */
public final class RecordedSteps {

  private RecordedSteps() {}

  /** Plays a request that decodes in so many steps. */
  public static void play(Probe probe, int steps) {
    final EventScript script = EventScript.full().queued(0, "a", 1, 2, 10).admitted(1, 0, 0);
    for (int step = 1; step <= steps; step++) {
      final long beginNs = 100L * step;
      final StepScript given =
          new StepScript(step, beginNs, beginNs + 10)
              .entry(0, step == 1 ? 10 : 1, step == 1 ? 0 : 8 + step, true, 1, 0)
              .counts(1, 0, 0, 9)
              .done(beginNs + 20, beginNs + 60, beginNs + 70, 1);
      script.planned(given).completed(given);
    }
    script.playTo(new ProbeReplay(probe));
  }
}
