package dev.headway.simulation.compare;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.schedule.SchedulerStats;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.events.inprocess.RunDetail;
import dev.headway.events.inprocess.RunProbe;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.run.SimulationException;
import dev.headway.simulation.run.WorkloadDriver;
import dev.headway.simulation.workload.Workload;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** One load through one engine in virtual time. One thread, once. */
public final class ComparisonRun {

  private final EngineSettings settings;
  private final RunLog log;
  private final TimedProbe probe;
  private final Duration ttftTarget;
  private @Nullable TimedModel model;

  /**
   * Prepares a run.
   *
   * @param settings the engine with its policies
   * @param fairnessWindowNs over which tenants are compared
   * @param ttftTarget what every request asks for
   */
  public ComparisonRun(EngineSettings settings, long fairnessWindowNs, Duration ttftTarget) {
    this.settings = settings;
    this.log = new RunLog(fairnessWindowNs);
    this.probe = new TimedProbe(log);
    this.ttftTarget = ttftTarget;
  }

  /** Runs to the end and takes the figures. */
  public PolicyResult run(String policy, Load load, Measures measures, LongConsumer progress)
      throws IOException {
    final VirtualClock clock = new VirtualClock();
    try (Workload workload = load.open();
        Engine engine = engine(clock, load.name())) {
      final WorkloadDriver driver =
          settings
              .driver(engine, clock, workload)
              .onSubmitted(log::submitted)
              .refine(request -> request.ttftTarget(ttftTarget));
      driver.run(() -> progress.accept(log.done()));
      requireRecorded(engine);
      return result(policy, engine.stats().scheduler(), driver.stepsNs(), measures);
    }
  }

  private Engine engine(VirtualClock clock, String name) {
    return settings.engine(clock, name, this::timed).probe(probe).build();
  }

  private Executor timed(Executor timed) {
    final TimedModel made = new TimedModel(timed);
    model = made;
    return made;
  }

  private PolicyResult result(
      String policy, SchedulerStats stats, long stepsNs, Measures measures) {
    final long modelNs = model == null ? 0 : model.spentNs;
    final Map<String, Long> outcomes = new TreeMap<>();
    log.requests().forEach(figures -> outcomes.merge(figures.outcome, 1L, Long::sum));
    return new PolicyResult(
        policy,
        measures.of(log, stats.policyFaults()),
        outcomes,
        log.requests(),
        TenantLatency.of(log.requests()),
        new PolicyResult.Cost(
            log.totals().steps(),
            Math.max(0, stepsNs - modelNs - probe.spentNs),
            stats.policyNs()));
  }

  private static void requireRecorded(Engine engine) {
    if (engine.stats().probesDetached() > 0) {
      throw new SimulationException(
          "the run must be measured whole; the log above says what failed");
    }
  }

  /** Measures the real time that the log takes of steps, which is no cost of the scheduler. */
  private static final class TimedProbe extends RunProbe {
    private long spentNs;

    TimedProbe(RunLog log) {
      super(log, RunDetail.ENTRIES);
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      final long startNs = System.nanoTime();
      super.onPlanned(event);
      spentNs += System.nanoTime() - startNs;
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      final long startNs = System.nanoTime();
      super.onStepCompleted(event);
      spentNs += System.nanoTime() - startNs;
    }
  }

  /** Measures the real time that the simulated model takes, which is no cost of the scheduler. */
  private static final class TimedModel implements Executor {
    private final Executor model;
    private long spentNs;

    TimedModel(Executor model) {
      this.model = model;
    }

    @Override
    public ExecutorShape shape() {
      return model.shape();
    }

    @Override
    public String name() {
      return model.name();
    }

    @Override
    public Map<String, String> attributes() {
      return model.attributes();
    }

    @Override
    public void submit(StepPlan plan) {
      final long startNs = System.nanoTime();
      model.submit(plan);
      spentNs += System.nanoTime() - startNs;
    }

    @Override
    public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
      final long startNs = System.nanoTime();
      final boolean answered = model.await(output, timeoutNs);
      spentNs += System.nanoTime() - startNs;
      return answered;
    }

    @Override
    public void close() {
      model.close();
    }
  }
}
