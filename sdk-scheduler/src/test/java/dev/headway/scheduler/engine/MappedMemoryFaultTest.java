package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineState;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.probe.AdmittedEvent;
import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.api.schedule.Scheduler;
import dev.headway.scheduler.core.ContinuousBatchingScheduler;
import dev.headway.scheduler.engine.FaultyScheduler.Point;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A fault under a mapping surfaces as an {@link InternalError} at a later safepoint of compiled
 * code, past the guard around the probe: with real mappings, and simulated at the places it can
 * reach.
 */
class MappedMemoryFaultTest {

  private static final int C2_WARM_UP_STEPS = 40_000;
  private static final int ROUNDS = 10;

  private final ScriptedExecutor executor = executor();
  private final AtomicReference<FaultyScheduler> scheduler = new AtomicReference<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a mapped file cannot be truncated")
  void shouldLoseNoStepWhenMappedFilesAreCutUnderTheProbes(int probes, @TempDir Path directory)
      throws Exception {
    final Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xbatch", // compiled when the count says so, not when a compiler thread has time
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty("java.class.path"),
                MappedFaultRun.class.getName(),
                Integer.toString(probes),
                Integer.toString(ROUNDS),
                directory.toString())
            .redirectErrorStream(true)
            .start();

    final String printed = new String(process.getInputStream().readAllBytes(), UTF_8).strip();

    assertThat(printed).isEqualTo(MappedFaultRun.report(0, 0, (long) probes * ROUNDS));
    assertThat(process.waitFor()).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = Point.class,
      names = {"AFTER_SCHEDULE", "BEFORE_COMPLETE"})
  void shouldGiveUpTheStepWhenTheErrorSurfacesBehindTheGuard(Point point) {
    final EventProbe mapped = mappedProbe();
    final StepEnds other = new StepEnds();
    final Engine engine = Engines.around(faulty(), executor, mapped, other);
    runSteps(engine, C2_WARM_UP_STEPS);
    final RequestHandle inStep = engine.submit(request("in-step", 9));
    final InternalError fault = new InternalError("a fault in a mapped file");
    scheduler.get().throwAt(point, fault, 1);

    engine.step();
    final RequestHandle later = engine.submit(request("later", 9));
    stepUntilIdle(engine);

    assertThat(endOf(inStep)).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(finished(inStep).cause()).isSameAs(fault);
    assertThat(endOf(later)).isEqualTo("LENGTH/9");
    assertThat(engine.stats().stepsFailed()).isEqualTo(1);
    assertThat(engine.stats().probesDetached()).isEqualTo(1);
    assertThat(other.failures).containsExactly(fault);
    assertThat(other.completed).isEqualTo(other.planned);
    assertHealthy(engine);
  }

  @Test
  void shouldLoseNothingWhenTheErrorSurfacesBeforeThePlan() {
    final Engine engine = Engines.around(faulty(), executor, mappedProbe());
    final RequestHandle handle = engine.submit(request("a", 9));
    engine.step();
    scheduler.get().throwAt(Point.BEFORE_SCHEDULE, new InternalError("mapped"), 1);

    stepUntilIdle(engine);

    assertThat(endOf(handle)).isEqualTo("LENGTH/9");
    assertThat(engine.stats().stepsFailed()).isZero();
    assertThat(engine.stats().probesDetached()).isEqualTo(1);
  }

  @Test
  void shouldChargeTheExecutorsStepAndTheMappedProbesWhenItSurfacesInTheExecutor() {
    final EventProbe mapped = mappedProbe();
    final Engine engine = Engines.engine(executor, mapped);
    executor.thenAwait(
        (plan, output, timeoutNs) -> {
          throw new InternalError("whose?");
        });
    final RequestHandle inStep = engine.submit(request("in-step", 9));

    stepUntilIdle(engine);

    assertThat(endOf(inStep)).isEqualTo("EXECUTOR_FAILED/0");
    assertThat(engine.stats().probesDetached()).isEqualTo(1);
    assertHealthy(engine);
  }

  @Test
  void shouldEndCleanlyWhenThereIsNoMappedProbeToChargeTheErrorTo() {
    final EventProbe plain = new EventProbe();
    final Engine engine = Engines.around(faulty(), executor, plain);
    final RequestHandle handle = engine.submit(request("a", 9));
    engine.step();
    final InternalError fault = new InternalError("nobody's");
    scheduler.get().throwAt(Point.BEFORE_COMPLETE, fault, 1);

    assertThatThrownBy(engine::step).isSameAs(fault);

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/1");
    assertThat(finished(handle).cause()).isSameAs(fault);
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
    assertThat(plain.heard).containsEntry(EventProbe.Event.CLOSE, 1);
    assertThat(executor.closes).hasValue(1);
  }

  @Test
  void shouldEndCleanlyWhenTheErrorHasTornThePlanning() {
    final Probe tearing =
        new Probe() {
          @Override
          public void onAdmitted(AdmittedEvent event) {
            throw new InternalError("torn");
          }
        };
    final Engine engine =
        Engines.builder(executor)
            .probe(mappedProbe())
            .scheduler(
                context ->
                    ContinuousBatchingScheduler.builder(context.config(), context.kvCache())
                        .probe(tearing) // with no guard around it
                        .build())
            .build();
    final RequestHandle handle = engine.submit(request("a", 9));

    engine.step(); // the probe is taken out
    assertThatThrownBy(engine::step)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "an earlier step must be completed or failed first: nextStepId=2, oldestStepId=1,"
                + " maxStepsInFlight=1");

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/0");
    assertThat(engine.state()).isEqualTo(EngineState.FAILED);
  }

  @Test
  void shouldEndWhenTheErrorComesBackAfterTheMappedProbesAreGone() {
    final Engine engine = Engines.around(faulty(), executor, mappedProbe());
    final RequestHandle handle = engine.submit(request("a", 9));
    final InternalError fault = new InternalError("again");
    scheduler.get().throwAt(Point.BEFORE_SCHEDULE, fault, 2);
    engine.step();

    assertThatThrownBy(engine::step).isSameAs(fault);

    assertThat(endOf(handle)).isEqualTo("SHUTDOWN/0");
  }

  private UnaryOperator<Scheduler> faulty() {
    return made -> {
      scheduler.set(new FaultyScheduler(made));
      return scheduler.get();
    };
  }

  private static EventProbe mappedProbe() {
    return new MappedEventProbe();
  }

  private static void runSteps(Engine engine, int steps) {
    final long until = engine.stats().steps() + steps;
    int number = 0;
    while (engine.stats().steps() < until) {
      engine.submit(request("warm-up-" + number++, 100));
      stepUntilIdle(engine);
    }
  }

  private static final class MappedEventProbe extends EventProbe implements MappedMemoryProbe {}

  private static final class StepEnds implements Probe {

    final List<Throwable> failures = new ArrayList<>();
    int planned;
    int completed;

    @Override
    public void onPlanned(PlannedEvent event) {
      planned++;
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      completed++;
      if (event.failure() != null) {
        failures.add(event.failure());
      }
    }
  }
}
