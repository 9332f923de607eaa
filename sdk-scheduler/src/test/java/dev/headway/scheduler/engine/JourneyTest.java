package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.assertHealthy;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.request;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.probe.FinishedEvent;
import dev.headway.api.probe.JourneyEvent;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a server tells the engine of a request reaches the probes, in order and on its thread. */
class JourneyTest {

  private final List<String> heard = new ArrayList<>();
  private final Probe probe =
      new Probe() {
        @Override
        public void onJourney(JourneyEvent event) {
          heard.add(event.requestId() + " " + event.stage().label() + " " + event.atNs());
        }

        @Override
        public void onQueued(QueuedEvent event) {
          heard.add(event.request().id() + " queued");
        }

        @Override
        public void onFinished(FinishedEvent event) {
          heard.add(event.request().id() + " finished");
        }
      };

  @Test
  void shouldReachTheProbesInTheOrderInWhichItWasReported() {
    final Engine engine = builder(executor()).probe(probe).build();

    engine.report(JourneyEvent.of("a", JourneyStage.ARRIVED, 3));
    engine.submit(request("a", 2));
    engine.report(JourneyEvent.of("a", JourneyStage.HANDOFF_TO_CORE, 5));
    stepUntilIdle(engine);
    engine.report(JourneyEvent.aborted("a", 9, "client_disconnect", null));
    engine.step();

    assertThat(heard)
        .containsExactly(
            "a arrived 3", "a handoff_to_core 5", "a queued", "a finished", "a aborted 9");
    assertHealthy(engine);
  }

  @Test
  void shouldCountWhatIsTooMuchAndWhatComesAfterTheEnd() {
    final Engine engine = builder(executor()).submissionQueueCapacity(1).probe(probe).build();
    final int room = JourneyStage.values().length;

    for (int i = 0; i < room + 2; i++) {
      engine.report(JourneyEvent.of("r" + i, JourneyStage.ARRIVED, i));
    }
    engine.step();
    engine.close();
    engine.report(JourneyEvent.of("late", JourneyStage.DEPARTED, 1));

    assertThat(heard).hasSize(room).startsWith("r0 arrived 0");
    assertThat(engine.stats().journeyEventsUnreported()).isEqualTo(3);
  }

  @Test
  void shouldCostNothingWhenNoProbeWantsToHear() {
    final Probe stepsOnly =
        new Probe() {
          @Override
          public Set<ProbeInterest> interests() {
            return EnumSet.of(ProbeInterest.STEPS);
          }
        };
    final Engine engine = builder(executor()).submissionQueueCapacity(1).probe(stepsOnly).build();

    for (int i = 0; i < 100; i++) {
      engine.report(JourneyEvent.of("r" + i, JourneyStage.ARRIVED, i));
    }

    assertThat(engine.step()).as("nothing was handed over").isFalse();
    assertThat(engine.stats().journeyEventsUnreported()).isZero();
  }

  @Test
  void shouldWantAReasonOfAnAbort() {
    assertThatThrownBy(() -> JourneyEvent.of("a", JourneyStage.ABORTED, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an aborted journey must have a reason: id=a");
  }
}
