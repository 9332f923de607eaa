package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.around;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.finished;
import static dev.headway.scheduler.engine.Engines.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.EngineLimits;
import dev.headway.api.config.QueueLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.probe.LimitsChangedEvent;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.time.VirtualClock;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Limits that change while the engine runs: 8 seats and 64 tokens a step at most. */
class EngineLimitsTest {

  private final Log log = new Log();
  private final VirtualClock clock = new VirtualClock();
  private final Engine engine = builder(executor()).clock(clock).probe(log).build();

  private static final class Log implements Probe {
    private final List<Integer> running = new ArrayList<>();
    private final List<Integer> tokens = new ArrayList<>();
    private final List<String> changes = new ArrayList<>();

    @Override
    public void onLimitsChanged(LimitsChangedEvent event) {
      changes.add(
          event.stepId()
              + "@"
              + event.atNs()
              + " "
              + event.oldLimits().maxNumActiveSeqs()
              + " to "
              + event.newLimits().maxNumActiveSeqs());
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      running.add(event.runningCount());
      tokens.add(event.plan().totalTokens());
    }
  }

  private EngineLimits.Builder limits() {
    return engine.limits().toBuilder();
  }

  /** Each step takes a microsecond, so that waits have a length. */
  private void stepUntilIdle() {
    do {
      clock.sleepUntil(clock.nanoTime() + 1_000);
    } while (engine.step());
  }

  @Test
  void shouldAdmitNoMoreThanTheNewSeatsAndPreemptNone() {
    final List<RequestHandle> handles = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      handles.add(engine.submit(prompt("r" + i, 4, i < 4 ? 4 : 2)));
    }
    engine.setLimits(limits().maxNumActiveSeqs(4).build());
    engine.step();
    engine.setLimits(limits().maxNumActiveSeqs(2).build());
    stepUntilIdle();

    assertThat(log.running).startsWith(4, 4, 4, 4, 2);
    assertThat(handles).allSatisfy(handle -> assertThat(endOf(handle)).startsWith("LENGTH/"));
    assertThat(handles).allSatisfy(h -> assertThat(finished(h).preemptions()).isZero());
    assertThat(finished(handles.get(5)).waits().ns(WaitReason.MAX_NUM_ACTIVE_SEQS)).isPositive();
  }

  @Test
  void shouldReportOldAndNewLimitsBeforeTheFirstStepThatHasThem() {
    engine.submit(prompt("a", 4, 2));
    engine.step();
    clock.sleepUntil(7_000_000);

    engine.setLimits(limits().maxNumActiveSeqs(3).build());
    engine.setLimits(limits().maxNumActiveSeqs(3).build()); // no change
    engine.step();

    assertThat(log.changes).containsExactly("1@7000000 0 to 3");
    assertThat(engine.limits().maxNumActiveSeqs()).isEqualTo(3);
  }

  @Test
  void shouldScheduleNoMoreThanTheNewTokens() {
    engine.submit(prompt("a", 60, 2));
    engine.setLimits(limits().maxNumScheduledTokens(16).build());
    engine.step();
    engine.step();
    engine.setLimits(limits().maxNumScheduledTokens(0).build());
    engine.step();

    assertThat(log.tokens).containsExactly(16, 16, 28);
  }

  @Test
  void shouldCapChunksByTheNewThreshold() {
    engine.submit(prompt("a", 60, 2));
    engine.setLimits(limits().longPrefillTokenThreshold(10).build());
    engine.step();
    engine.setLimits(limits().longPrefillTokenThreshold(20).build());
    engine.step();

    assertThat(log.tokens).containsExactly(10, 20);
  }

  @Test
  void shouldKeepBlocksFreeByTheNewWatermark() {
    engine.submit(prompt("a", 4, 20));
    engine.step();
    engine.setLimits(limits().watermark(0.9).build());
    final RequestHandle waiting = engine.submit(prompt("b", 30, 1));
    engine.step();
    assertThat(waiting.isDone()).isFalse();

    engine.setLimits(limits().watermark(0).build());
    stepUntilIdle();

    assertThat(finished(waiting).waits().ns(WaitReason.WATERMARK)).isPositive();
  }

  @Test
  void shouldRejectWhatIsSubmittedBeyondTheNewQueueLimits() {
    engine.submit(prompt("a", 4, 2));
    engine.setLimits(limits().queueLimits(new QueueLimits(1, 0)).build());

    assertThat(endOf(engine.submit(prompt("b", 4, 2)))).isEqualTo("QUEUE_FULL");

    engine.setLimits(limits().queueLimits(QueueLimits.NONE).build());
    final RequestHandle taken = engine.submit(prompt("c", 4, 2));
    stepUntilIdle();
    assertThat(endOf(taken)).isEqualTo("LENGTH/2");
  }

  @Test
  void shouldComputeNoMorePromptsInPartsThanTheNewBound() {
    for (int i = 0; i < 4; i++) {
      engine.submit(prompt("r" + i, 40, 2));
    }
    engine.setLimits(limits().longPrefillTokenThreshold(8).maxNumPartialPrefills(2).build());
    engine.step();
    assertThat(log.running).containsExactly(2);

    engine.setLimits(limits().maxNumPartialPrefills(3).build());
    engine.step();

    assertThat(log.running).containsExactly(2, 3);
  }

  @Test
  void shouldLetShortPromptsPassTooManyLongOnes() {
    engine.setLimits(
        limits()
            .longPrefillTokenThreshold(8)
            .maxNumPartialPrefills(2)
            .maxLongPartialPrefills(1)
            .build());
    engine.submit(prompt("long", 40, 2));
    final RequestHandle second = engine.submit(prompt("second", 40, 2));
    final RequestHandle quick = engine.submit(prompt("quick", 6, 1));

    engine.step();

    assertThat(log.running).containsExactly(2);
    assertThat(quick.isDone()).isTrue();
    stepUntilIdle();
    assertThat(finished(second).waits().ns(WaitReason.MAX_NUM_PARTIAL_PREFILLS)).isPositive();
  }

  @Test
  void shouldRefuseLimitsAboveTheCapacitiesAndChangeNothing() {
    final EngineLimits before = engine.limits();

    assertThatThrownBy(() -> engine.setLimits(limits().maxNumActiveSeqs(9).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxNumActiveSeqs must be in [0, maxNumSeqs], 0 for no limit of its own:"
                + " maxNumActiveSeqs=9, maxNumSeqs=8");
    assertThatThrownBy(() -> engine.setLimits(limits().maxLongPartialPrefills(1).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "maxLongPartialPrefills needs longPrefillTokenThreshold > 0, which says what is long:"
                + " maxLongPartialPrefills=1, longPrefillTokenThreshold=0");

    assertThat(engine.limits()).isEqualTo(before);
    engine.step();
    assertThat(log.changes).isEmpty();
  }

  @Test
  void shouldRefuseLimitsWhoseSchedulerTakesNone() {
    final Engine fixed =
        around(
            sound ->
                (Scheduler)
                    Proxy.newProxyInstance(
                        Scheduler.class.getClassLoader(),
                        new Class<?>[] {Scheduler.class},
                        (proxy, method, arguments) ->
                            method.getName().equals("takesLimits")
                                ? (Object) false
                                : method.invoke(sound, arguments)),
            executor());

    assertThatThrownBy(() -> fixed.setLimits(fixed.limits()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageStartingWith("the scheduler must take limits to have others: scheduler=");
  }
}
