package dev.headway.probes.dashboard.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.events.live.LiveProbe;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RunModel;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Questions to an engine with one seat. */
class RequestLookupTest {

  private static final int KEPT = 2;
  private static final int CONTEXT = 512;

  private final VirtualClock clock = new VirtualClock();
  private final RequestLookup lookup = new RequestLookup(KEPT);
  private final LiveProbe probe = LiveProbe.of(new RunModel(lookup));
  private final Engine engine =
      HeadwayEngine.builder(
              new SimulatedExecutor(
                  ExecutorShape.builder()
                      .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
                      .maxNumSeqs(1)
                      .maxModelLen(CONTEXT)
                      .vocabularySize(1_000)
                      .build(),
                  new LinearLatencyModel(5_000_000, 20_000, 100_000, 10),
                  clock,
                  7))
          .clock(clock)
          .probe(probe)
          .build();

  @AfterEach
  void close() {
    engine.close();
  }

  private <T> T ask(Supplier<T> question) throws Exception {
    return probe.ask(question).get(30, TimeUnit.SECONDS);
  }

  private void submit(String id, int maxTokens) {
    engine.submit(Request.builder(id, 1, 2, 3).maxTokens(maxTokens).build());
  }

  private void steps(int count) {
    for (int i = 0; i < count; i++) {
      engine.step();
    }
  }

  @Test
  void shouldListThoseThatWaitInTheirOrderWithTheirReasons() throws Exception {
    // given
    submit("runs", 100);
    submit("first", 5);
    submit("second", 5);
    steps(3);

    // when
    List<RequestDigest> waiting = ask(() -> lookup.waiting(10, clock.nanoTime()));

    // then
    assertThat(waiting).extracting(RequestDigest::id).containsExactly("first", "second");
    assertThat(waiting).extracting(RequestDigest::waitsFor).containsOnly("max_num_seqs");
    assertThat(waiting.getFirst().stayNs()).isEqualTo(clock.nanoTime());
    assertThat(ask(() -> lookup.waiting(1, clock.nanoTime()))).hasSize(1);
    assertThat(ask(lookup::waitingFor)).containsEntry("max_num_seqs", 2).hasSize(1);
    assertThat(ask(lookup::waitingCount)).isEqualTo(2);
    assertThat(ask(lookup::runningCount)).isEqualTo(1);
    assertThat(ask(() -> lookup.settings(clock.nanoTime()))).containsEntry("maxNumSeqs", "1");
  }

  @Test
  void shouldSayWhatARequestThatHasEndedHasWaitedFor() throws Exception {
    // given
    submit("before", 3);
    submit("asked", 2);
    while (engine.step()) {
      // until both have ended
    }

    // when
    RequestDigest asked = ask(() -> lookup.find("asked", clock.nanoTime())).orElseThrow();

    // then
    assertThat(asked.phase()).isEqualTo(Phase.ENDED);
    assertThat(asked.outputTokens()).isEqualTo(2);
    assertThat(asked.waits()).extracting(RequestDigest.Wait::root).contains("max_num_seqs");
    assertThat(ask(() -> lookup.find("never", clock.nanoTime()))).isEmpty();
  }

  @Test
  void shouldFindTheLatestOfAnIdAndForgetTheOldest() throws Exception {
    // given
    for (String id : List.of("a", "b", "a", "c")) {
      submit(id, 1);
      while (engine.step()) {
        // until it has ended
      }
    }
    submit("c", 9);
    steps(2);

    // then
    assertThat(ask(() -> lookup.find("b", clock.nanoTime()))).isEmpty();
    assertThat(ask(() -> lookup.find("a", clock.nanoTime()))).isPresent();
    assertThat(ask(() -> lookup.find("c", clock.nanoTime())).orElseThrow().phase())
        .isEqualTo(Phase.DECODE);
  }

  @Test
  void shouldKnowWhyARequestWasRefused() throws Exception {
    // given
    engine.submit(Request.builder("long", new int[CONTEXT + 1]).maxTokens(1).build());
    engine.step();

    // then
    assertThat(ask(() -> lookup.rejection("long")).orElseThrow().reason())
        .isEqualTo("context_length_limit");
  }

  @Test
  void shouldBeAskedBeforeAndAfterTheRun() throws Exception {
    // given
    RequestLookup unused = new RequestLookup(KEPT);
    LiveProbe early = LiveProbe.of(new RunModel(unused));

    // then
    assertThat(early.ask(unused::isObserving).get(30, TimeUnit.SECONDS)).isFalse();
    assertThat(ask(lookup::isObserving)).isTrue();
    engine.close();
    assertThat(ask(lookup::isObserving)).isTrue();
  }

  @Test
  void shouldPassOnWhatAQuestionThrows() {
    assertThatThrownBy(
            () ->
                ask(
                    () -> {
                      throw new IllegalStateException("asked too much");
                    }))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("asked too much");
  }
}
