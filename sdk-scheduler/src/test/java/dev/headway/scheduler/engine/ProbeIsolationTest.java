package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthyThread;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.prompt;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.started;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.engine.EventProbe.Event;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A probe that throws is taken out; the step, the other probes and every request are unharmed. */
class ProbeIsolationTest {

  private static final List<Supplier<Throwable>> THROWABLES =
      List.of(
          () -> new IllegalStateException("probe"),
          () -> new Error("probe"),
          () -> new StackOverflowError("probe"),
          () -> new OutOfMemoryError("probe"),
          () -> new InternalError("probe"),
          () -> new Exception("probe, checked"));

  @Test
  void shouldHearOfEverythingInTheScenario() {
    final EventProbe probe = new EventProbe();

    runScenario(probe);

    final Set<Event> expected = EnumSet.complementOf(EnumSet.of(Event.IDLE));
    assertThat(probe.heard.keySet()).containsExactlyInAnyOrderElementsOf(expected);
    assertThat(probe.heard).containsEntry(Event.CLOSE, 1).containsEntry(Event.RUN_STARTED, 1);
    assertThat(probe.heard.get(Event.PLANNED)).isEqualTo(probe.heard.get(Event.STEP_COMPLETED));
    assertThat(probe.heard.get(Event.QUEUED)).isEqualTo(probe.heard.get(Event.FINISHED));
  }

  @ParameterizedTest
  @EnumSource(
      value = Event.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"IDLE", "CLOSE"})
  void shouldDetachAProbeThatThrowsFromAnyEvent(Event event) {
    final EventProbe alone = new EventProbe();
    final List<String> expected = runScenario(alone).ends;

    for (Supplier<Throwable> thrown : THROWABLES) {
      final EventProbe before = new EventProbe();
      final EventProbe throwing = new EventProbe(heard -> throwAt(event, heard, thrown));
      final EventProbe after = new EventProbe();

      final Run run = runScenario(before, throwing, after);

      assertThat(run.ends).as("%s from %s", thrown.get(), event).isEqualTo(expected);
      assertThat(run.probesDetached).isEqualTo(1);
      assertThat(throwing.heard).containsEntry(event, 1).containsEntry(Event.CLOSE, 1);
      assertThat(before.heard).isEqualTo(alone.heard);
      assertThat(after.heard).isEqualTo(alone.heard);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Event.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"IDLE", "CLOSE"})
  void shouldDetachAMappedProbeThatThrowsFromAnyEvent(Event event) {
    final EventProbe other = new EventProbe();
    final EventProbe throwing =
        new MappedEventProbe(heard -> throwAt(event, heard, () -> new InternalError("mapped")));

    final Run run = runScenario(throwing, other);

    assertThat(run.probesDetached).isEqualTo(1);
    assertThat(run.stepsFailed).isZero();
    assertThat(throwing.heard).containsEntry(event, 1).containsEntry(Event.CLOSE, 1);
    assertThat(other.heard.get(Event.QUEUED)).isEqualTo(other.heard.get(Event.FINISHED));
  }

  @Test
  void shouldDetachAProbeThatThrowsWhenIdle() throws Exception {
    for (Supplier<Throwable> thrown : THROWABLES) {
      final CountDownLatch twiceIdle = new CountDownLatch(2);
      final EventProbe throwing = new EventProbe(heard -> throwAt(Event.IDLE, heard, thrown));
      final Probe other =
          new Probe() {
            @Override
            public void onIdle(long nowNs) {
              twiceIdle.countDown();
            }
          };
      try (Engine engine = started(Engines.executor(), throwing, other)) {
        assertHealthyThread(engine);

        assertThat(twiceIdle.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(engine.stats().probesDetached()).isEqualTo(1);
        assertHealthyThread(engine);
      }
    }
  }

  @Test
  void shouldCloseTheOtherProbesWhenOneThrowsInClose() {
    for (Supplier<Throwable> thrown : THROWABLES) {
      final EventProbe throwing = new EventProbe(heard -> throwAt(Event.CLOSE, heard, thrown));
      final EventProbe other = new EventProbe();

      runScenario(throwing, other);

      assertThat(other.heard).containsEntry(Event.CLOSE, 1);
    }
  }

  @Test
  void shouldDetachAProbeWithoutInterests() {
    final EventProbe throwing =
        new EventProbe() {
          @Override
          public Set<ProbeInterest> interests() {
            throw new StackOverflowError("interests");
          }
        };
    final EventProbe withNull =
        new EventProbe() {
          @Override
          public Set<ProbeInterest> interests() {
            return null;
          }
        };

    final Run run = runScenario(throwing, withNull);

    assertThat(run.probesDetached).isEqualTo(2);
    assertThat(throwing.heard).isEqualTo(Map.of(Event.CLOSE, 1));
    assertThat(withNull.heard).isEqualTo(Map.of(Event.CLOSE, 1));
  }

  @Test
  void shouldHearOnlyOfWhatItAskedFor() {
    final EventProbe steps =
        new EventProbe() {
          @Override
          public Set<ProbeInterest> interests() {
            return EnumSet.of(ProbeInterest.STEPS);
          }
        };
    final EventProbe nothing =
        new EventProbe() {
          @Override
          public Set<ProbeInterest> interests() {
            return Set.of();
          }
        };

    runScenario(steps, nothing);

    assertThat(steps.heard.keySet())
        .containsExactly(Event.RUN_STARTED, Event.PLANNED, Event.STEP_COMPLETED, Event.CLOSE);
    assertThat(nothing.heard.keySet()).containsExactly(Event.RUN_STARTED, Event.CLOSE);
  }

  @Test
  void shouldDetachTheProbeThatThrewAndNotOneThatEqualsIt() {
    final EqualProbe quiet = new EqualProbe(false);
    final EqualProbe throwing = new EqualProbe(true);

    final Run run = runScenario(quiet, throwing);

    assertThat(run.probesDetached).isEqualTo(1);
    assertThat(throwing.planned).isEqualTo(1);
    assertThat(quiet.planned).isGreaterThan(10);
  }

  @Test
  void shouldDetachEveryProbeThatThrowsInTheSameEvent() {
    final List<Probe> probes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      probes.add(
          new EventProbe(
              heard -> throwAt(Event.PLANNED, heard, () -> new IllegalStateException("probe"))));
    }

    final Run run = runScenario(probes.toArray(Probe[]::new));

    assertThat(run.probesDetached).isEqualTo(5);
    assertThat(run.stepsFailed).isZero();
  }

  @Test
  void shouldLogAProbeThatThrowsOnce() {
    final PrintStream err = System.err;
    final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true));
    try {
      runScenario(
          new EventProbe(
              heard -> throwAt(Event.PLANNED, heard, () -> new IllegalStateException("once"))));
    } finally {
      System.setErr(err);
    }

    final String message =
        "probe " + EventProbe.class.getName() + " threw and was detached; scheduling goes on";
    assertThat(logged.toString()).containsOnlyOnce(message);
  }

  private static void throwAt(Event wanted, Event heard, Supplier<Throwable> thrown) {
    if (heard == wanted) {
      throwAny(thrown.get());
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable thrown) throws T {
    throw (T) thrown;
  }

  /** What a scenario led to. */
  private record Run(List<String> ends, long probesDetached, long stepsFailed) {}

  /** Sixteen blocks for eight requests: every event but idle happens. */
  private static Run runScenario(Probe... probes) {
    final ExecutorShape tight =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(4).blocks(17).build())
            .maxNumSeqs(8)
            .vocabularySize(1_000)
            .build();
    final EngineBuilder builder =
        builder(new ScriptedExecutor(tight))
            .config(
                SchedulerConfig.builder(
                        SchedulerLimits.builder()
                            .maxNumSeqs(4)
                            .maxNumBatchedTokens(16)
                            .maxModelLen(64)
                            .build())
                    .build());
    for (Probe probe : probes) {
      builder.probe(probe);
    }
    final Engine engine = builder.build();
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      handles.add(engine.submit(prompt("r" + i, 9 + i, 20)));
    }
    handles.add(engine.submit(request("r0", 1)));
    for (int i = 0; i < 10; i++) {
      engine.step();
    }
    handles.get(7).cancel();
    engine.resetPrefixCache(ResetScope.PREEMPT_RUNNING);
    stepUntilIdle(engine);
    engine.resetPrefixCache(ResetScope.IDLE_ONLY);
    stepUntilIdle(engine);
    handles.add(engine.submit(prompt("last", 3, 30)));
    engine.step();
    engine.close();
    final List<String> ends = handles.stream().map(handle -> endOf(handle)).toList();
    return new Run(ends, engine.stats().probesDetached(), engine.stats().stepsFailed());
  }

  private static final class MappedEventProbe extends EventProbe implements MappedMemoryProbe {

    MappedEventProbe(Consumer<Event> heard) {
      super(heard);
    }
  }

  private static final class EqualProbe implements Probe {

    private final boolean throwing;
    private int planned;

    EqualProbe(boolean throwing) {
      this.throwing = throwing;
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      planned++;
      if (throwing) {
        throw new IllegalStateException("probe");
      }
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof EqualProbe;
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }
}
