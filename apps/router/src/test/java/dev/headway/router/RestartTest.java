package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.router.resilience.BreakerOptions;
import dev.headway.router.resilience.CircuitBreaker.State;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that die and come back. The breaker's own time never passes here. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestartTest {

  private static final String BODY = "{\"model\":\"fake\",\"prompt\":\"x\",\"stream\":true}";
  private static final BreakerOptions FOR_AN_HOUR =
      new BreakerOptions(3, Duration.ofMinutes(2), Duration.ofHours(1), 1, 3);

  /** All of a cluster was gone: the first that is back serves at once. */
  @Test
  void shouldServeAgainWithTheFirstWorkerThatIsBack() throws Exception {
    try (RouterFixture given = new RouterFixture(2)) {
      given.breakers = FOR_AN_HOUR;
      given.start();
      given.workers.forEach(FakeWorker::die);
      while (given.breaker(0) == State.CLOSED || given.breaker(1) == State.CLOSED) {
        assertThat(given.send(given.completion(BODY)).statusCode()).isGreaterThanOrEqualTo(502);
      }

      given.workers.getFirst().listen();

      assertThat(given.send(given.completion(BODY)).statusCode()).isEqualTo(200);
      RouterFixture.eventually("a good check", () -> given.breaker(0) != State.OPEN);
      for (int i = 0; i < 20; i++) {
        assertThat(given.send(given.completion(BODY)).statusCode()).isEqualTo(200);
      }
      assertThat(given.breaker(0)).isEqualTo(State.CLOSED);
      assertThat(given.router().workers().panics()).isPositive();
    }
  }

  /** A worker that has only refused this request is left, and asked again; the dead one is not. */
  @Test
  void shouldAskABusyWorkerAgainRatherThanADeadOne() throws Exception {
    try (RouterFixture given = new RouterFixture(2)) {
      given.breakers = FOR_AN_HOUR;
      given.start();
      given.workers.getLast().status = 500;
      while (given.breaker(1) == State.CLOSED) {
        given.send(given.completion(BODY));
      }
      final int asked = given.workers.getLast().begun.get();
      given.workers.getFirst().status = 429;

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(given.workers.getLast().begun.get()).isEqualTo(asked);
      assertThat(given.router().workers().panics()).isZero();
    }
  }

  /** A worker that never was one is not tried, however few there are. */
  @Test
  void shouldRefuseWhereNoWorkerEverWasThere() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.start();
      final var added =
          given
              .router()
              .workers()
              .add(dev.headway.router.registry.WorkerEntry.of("127.0.0.1:1"), false);
      given.router().workers().remove(given.workers.getFirst().id());

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(added.wasHealthy()).isFalse();
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("no_worker");
    }
  }

  /** Each of two workers dies and comes back under load: what was under way on it may fail. */
  @Test
  void shouldLoseNoMoreThanWhatWasUnderWayInARollingRestart() throws Exception {
    try (RouterFixture given = new RouterFixture(2)) {
      given.breakers = FOR_AN_HOUR;
      given.start();
      given.workers.forEach(
          each -> {
            each.tokens = 5;
            each.gapMs = 2;
          });
      final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (FakeWorker worker : given.workers) {
        send(given, answers, 40);
        RouterFixture.eventually("streams", () -> worker.begun.get() > 5);
        worker.die();
        send(given, answers, 40);
        worker.listen();
        // whoever restarts them one after the other waits for the first to be ready
        final int index = given.workers.indexOf(worker);
        RouterFixture.eventually(
            "the worker serves again",
            () -> {
              send(given, answers, 1);
              answers.getLast().join();
              return given.breaker(index) == State.CLOSED && worker.finished.get() > 0;
            });
      }

      final long failed =
          answers.stream()
              .map(CompletableFuture::join)
              .filter(answer -> !answer.body().endsWith("data: [DONE]\n\n"))
              .count();

      given.awaitIdle();
      final long underWay =
          given.workers.stream().mapToInt(each -> each.begun.get() - each.finished.get()).sum();
      assertThat(failed).as("requests failed of %d", answers.size()).isLessThanOrEqualTo(underWay);
    }
  }

  private static void send(
      RouterFixture given, List<CompletableFuture<HttpResponse<String>>> answers, int count) {
    for (int i = 0; i < count; i++) {
      answers.add(given.http.sendAsync(given.completion(BODY), BodyHandlers.ofString()));
    }
  }
}
