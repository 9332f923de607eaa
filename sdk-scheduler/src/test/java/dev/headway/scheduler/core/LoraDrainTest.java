package dev.headway.scheduler.core;

import static dev.headway.scheduler.testing.PlanAssert.assertThat;
import static dev.headway.scheduler.testing.SchedulerFixture.fixture;
import static dev.headway.scheduler.testing.SchedulerFixture.request;
import static dev.headway.scheduler.testing.SchedulerFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.FinishReason;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.Request;
import dev.headway.api.schedule.AdapterLoad;
import dev.headway.api.schedule.PauseState;
import dev.headway.api.schedule.ResetScope;
import dev.headway.scheduler.testing.SchedulerFixture;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An adapter whose place is taken for too long, and the requests of each adapter. */
class LoraDrainTest {

  /** The fixture's clock goes on at each reading: this has passed after one step. */
  private static final long AT_ONCE_NS = 1;

  private static SchedulerFixture draining(int maxLoras, long thresholdNs) {
    return fixture()
        .settings(config -> config.maxLoras(maxLoras).loraDrainWaitThresholdNs(thresholdNs));
  }

  private static Request.Builder adapted(String id, int adapter) {
    return request(id, text(7, 9)).lora(new LoraAdapter(adapter, "adapter-" + adapter));
  }

  @Test
  void shouldAdmitNoMoreOfARunningAdapterOnceAnotherHasWaitedTooLong() {
    final SchedulerFixture given =
        draining(1, AT_ONCE_NS).waiting(adapted("a1", 1)).waiting(adapted("b1", 2)).step();

    given.waiting(adapted("a2", 1)).waiting("plain", 3).step();

    assertThat(given.plan()).schedulesOnly("a1", "plain");
    given.finish("a1", FinishReason.ABORTED);
    given.schedule();
    assertThat(given.plan()).schedulesOnly("plain", "b1");
  }

  @Test
  void shouldAdmitThemWhileTheWaitIsShort() {
    final SchedulerFixture given =
        draining(1, Long.MAX_VALUE).waiting(adapted("a1", 1)).waiting(adapted("b1", 2)).step();

    given.waiting(adapted("a2", 1)).schedule();

    assertThat(given.plan()).schedulesOnly("a1", "a2");
  }

  @Test
  void shouldDrainTheAdapterWhoseRequestsCanBeOverFirst() {
    final SchedulerFixture given =
        draining(2, AT_ONCE_NS)
            .waiting(adapted("long", 1).maxTokens(400))
            .waiting(adapted("short", 2).maxTokens(20))
            .waiting(adapted("starving", 3))
            .step()
            .waiting(adapted("long-2", 1))
            .waiting(adapted("short-2", 2));

    given.schedule();

    assertThat(given.plan()).schedulesOnly("long", "short", "long-2");
  }

  @Test
  void shouldEndADrainWhenNobodyStarvesAnyMore() {
    final SchedulerFixture given =
        draining(1, AT_ONCE_NS).waiting(adapted("a1", 1)).waiting(adapted("b1", 2)).step();
    given.waiting(adapted("a2", 1)).step();
    given.finish("b1", FinishReason.ABORTED);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a1", "a2");
  }

  /** Otherwise it would never end, and the drain would not either. */
  @Test
  void shouldResumeAPreemptedRequestOfADrainedAdapter() {
    final SchedulerFixture given =
        draining(1, AT_ONCE_NS)
            .blocks(11)
            .withoutGate()
            .withoutCaching()
            .waiting(adapted("a0", 1))
            .waiting(adapted("a1", 1))
            .waiting(adapted("a2", 1))
            .waiting(adapted("b1", 2))
            .steps(6);
    assertThat(given.runningIds()).containsExactly("a0", "a1");
    given.finish("a0", FinishReason.ABORTED);

    given.schedule();

    assertThat(given.plan()).schedulesOnly("a1", "a2");
  }

  @Test
  void shouldKeepOneReasonWhileItsAdapterIsDrained() {
    final SchedulerFixture given =
        draining(1, AT_ONCE_NS).waiting(adapted("a1", 1)).waiting(adapted("b1", 2)).step();
    given.waiting(adapted("a2", 1));
    given.log().clear();

    given.steps(20);

    assertThat(given.log().waits()).containsExactly("2: blocked a2 MAX_LORAS by - needed=0 free=0");
  }

  /**
   * Without the rule the adapters that came first keep their places for as long as they are asked
   * for.
   */
  @Test
  void shouldServeEveryAdapterHoweverManyRequestsTheOthersHave() {
    final Random random = new Random(11);
    final SchedulerFixture given =
        draining(2, 400)
            .blocks(4_000)
            .waiting(adapted("first-1", 1).maxTokens(30))
            .waiting(adapted("first-2", 2).maxTokens(30))
            .waiting(adapted("starved", 3).maxTokens(3));
    int step = 0;
    while (step < 600 && given.ended("starved") == null) {
      given.waiting(adapted("r" + step, 1 + random.nextInt(2)).maxTokens(1 + random.nextInt(30)));
      given.step();
      step++;
    }

    assertThat(given.ended("starved")).as("seed 11, step %d", step).isNotNull();
  }

  @Test
  void shouldCountTheRequestsOfEachAdapter() {
    final SchedulerFixture given =
        fixture()
            .settings(config -> config.maxLoras(1))
            .maxNumSeqs(2)
            .waiting(adapted("a1", 1))
            .waiting(adapted("a2", 1))
            .waiting(adapted("a3", 1))
            .waiting(adapted("b1", 2))
            .waiting("plain", 3);
    assertThat(given.driver().scheduler().stats().adapters())
        .containsExactly(new AdapterLoad("adapter-1", 0, 3), new AdapterLoad("adapter-2", 0, 1));

    given.step();
    assertThat(given.driver().scheduler().stats().adapters())
        .containsExactly(new AdapterLoad("adapter-1", 2, 1), new AdapterLoad("adapter-2", 0, 1));

    given.driver().scheduler().setPauseState(PauseState.PAUSED);
    given.reset(ResetScope.PREEMPT_RUNNING);
    assertThat(given.driver().scheduler().stats().adapters())
        .containsExactly(new AdapterLoad("adapter-1", 0, 3), new AdapterLoad("adapter-2", 0, 1));

    given.driver().scheduler().setPauseState(PauseState.RUNNING);
    given.step().finish("a1", FinishReason.ABORTED);
    given.finish("b1", FinishReason.ABORTED);
    assertThat(given.driver().scheduler().stats().adapters())
        .containsExactly(new AdapterLoad("adapter-1", 1, 1));

    given.finish("a2", FinishReason.ABORTED);
    given.finish("a3", FinishReason.ABORTED);
    assertThat(given.driver().scheduler().stats().adapters()).isEmpty();
  }
}
