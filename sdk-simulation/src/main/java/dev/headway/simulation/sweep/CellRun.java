package dev.headway.simulation.sweep;

import dev.headway.api.engine.Engine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.PrefixBound;
import dev.headway.simulation.run.RunMeter;
import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One load through one engine in virtual time, without a journal. */
final class CellRun {

  private CellRun() {}

  /**
   * Runs to the end, on the caller's thread.
   *
   * @throws IOException if the load cannot be read
   * @throws SimulationException if the run makes no progress or could not be measured
   */
  static CellFigures run(CellSetup setup) throws IOException {
    final ServiceLimits limits = setup.limits();
    final Measures.@Nullable Slo slo = limits == null ? null : limits.slo();
    final RunMeter meter = slo == null ? new RunMeter() : new RunMeter(slo.ttftNs(), slo.itlNs());
    final EngineSettings settings = setup.engine();
    final VirtualClock clock = new VirtualClock();
    try (Workload workload = setup.load().open();
        Engine engine =
            settings
                .engine(clock, setup.load().name(), model -> model)
                .probe(meter.probe())
                .build()) {
      settings
          .driver(engine, clock, workload)
          .refine(
              request ->
                  slo == null || !slo.limitsTtft()
                      ? request
                      : request.ttftTarget(Duration.ofNanos(slo.ttftNs())))
          .run(() -> {});
      if (engine.stats().probesDetached() > 0) {
        throw new SimulationException(
            "the run must be measured whole; the log says what failed: probesDetached="
                + engine.stats().probesDetached());
      }
      return new CellFigures(setup, meter.figures(new PrefixBound()), meter.withinLimits());
    }
  }
}
