package dev.headway.scheduler.engine;

import static dev.headway.scheduler.engine.Engines.LIMITS;
import static dev.headway.scheduler.engine.Engines.builder;
import static dev.headway.scheduler.engine.Engines.endOf;
import static dev.headway.scheduler.engine.Engines.executor;
import static dev.headway.scheduler.engine.Engines.stepUntilIdle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.QueueLimits;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Request;
import org.junit.jupiter.api.Test;

/** A full queue of three, which gives the place of its worst waiter to a better request. */
class QueueEvictionTest {

  private final Engine engine =
      builder(executor())
          .config(
              SchedulerConfig.builder(LIMITS)
                  .queuePolicy(QueuePolicy.PRIORITY)
                  .maxNumActiveSeqs(1)
                  .queueLimits(new QueueLimits(3, 0))
                  .build())
          .onFullQueue(FullQueuePolicy.EVICT_WORST)
          .build();

  private RequestHandle submit(String id, int priority) {
    return engine.submit(
        Request.builder(id, 1, 2, 3, 4, 5).maxTokens(3).priority(priority).build());
  }

  @Test
  void shouldEvictTheLeastImportantAndOfEqualsTheLatest() {
    final RequestHandle important = submit("important", 1);
    final RequestHandle early = submit("early", 5);
    final RequestHandle late = submit("late", 5);

    final RequestHandle newcomer = submit("newcomer", 2);
    stepUntilIdle(engine);

    assertThat(endOf(late)).isEqualTo("QUEUE_EVICTED/0");
    assertThat(endOf(newcomer)).isEqualTo("LENGTH/3");
    assertThat(endOf(important)).isEqualTo("LENGTH/3");
    assertThat(endOf(early)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldRejectANewcomerThatIsNoMoreImportantThanThoseThatWait() {
    submit("a", 2);
    submit("b", 2);
    submit("c", 2);

    assertThat(endOf(submit("equal", 2))).isEqualTo("QUEUE_FULL");
    assertThat(endOf(submit("worse", 3))).isEqualTo("QUEUE_FULL");
  }

  @Test
  void shouldNotEvictARequestThatWasAdmitted() {
    final RequestHandle running = submit("running", 9);
    engine.step();
    submit("b", 1);
    submit("c", 1);

    final RequestHandle newcomer = submit("newcomer", 0);
    engine.step();

    assertThat(newcomer.isDone()).as("it took the place of one that waited").isFalse();
    assertThat(running.isDone()).isFalse();
    stepUntilIdle(engine);
    assertThat(endOf(running)).isEqualTo("LENGTH/3");
  }

  @Test
  void shouldHaveNoMorePlacesAfterEvictionsThanBefore() {
    submit("a", 5);
    submit("b", 5);
    submit("c", 5);
    submit("d", 1);
    submit("e", 1);
    submit("f", 1);
    assertThat(endOf(submit("g", 1))).isEqualTo("QUEUE_FULL");
    stepUntilIdle(engine);
    assertThat(engine.stats().finished()).isEqualTo(6);

    submit("h", 5);
    submit("i", 5);
    submit("j", 5);
    assertThat(endOf(submit("k", 5))).isEqualTo("QUEUE_FULL");
  }

  @Test
  void shouldRefuseToEvictWhereNoRequestIsMoreImportantThanAnother() {
    assertThatThrownBy(() -> builder(executor()).onFullQueue(FullQueuePolicy.EVICT_WORST).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "EVICT_WORST needs queuePolicy PRIORITY, or no request is less important than another:"
                + " onFullQueue=EVICT_WORST, queuePolicy=FCFS");
  }
}
