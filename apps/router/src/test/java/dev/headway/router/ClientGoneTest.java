package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.RawClient;
import dev.headway.router.admission.AdmissionOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that leaves: its worker must know within a second, however it leaves, whenever. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientGoneTest {

  private static final String POST = RawClient.post("/v1/completions", "{\"prompt\":\"x\"}");
  private static final Duration LONGEST = Duration.ofSeconds(1);

  private enum Way {
    CLOSED {
      @Override
      void leave(RawClient client) throws IOException {
        client.close();
      }
    },
    RESET {
      @Override
      void leave(RawClient client) throws IOException {
        client.socket.setSoLinger(true, 0);
        client.close();
      }
    },
    HALF_CLOSED {
      @Override
      void leave(RawClient client) throws IOException {
        client.socket.shutdownOutput();
      }
    };

    abstract void leave(RawClient client) throws IOException;
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void shouldBeSeenBeforeTheAnswerBegins(Way way) throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final FakeWorker worker = given.workers.getFirst();
      worker.stalls = true;
      final RawClient client = given.raw().send(POST);
      RouterFixture.eventually("begun", () -> worker.begun.get() == 1);

      way.leave(client);

      within("the worker knows", () -> worker.cancelled.get() == 1);
      given.awaitIdle();
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void shouldBeSeenInTheMiddleOfAStream(Way way) throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final FakeWorker worker = given.workers.getFirst();
      worker.tokens = 1_000_000;
      worker.gapMs = 3_000; // so that no write tells
      final RawClient client = given.raw().send(POST);
      client.readUntil("\"w0\"");

      way.leave(client);

      within("the worker knows", () -> worker.cancelled.get() == 1);
      given.awaitIdle();
    }
  }

  /** The router has stopped reading from the worker. */
  @ParameterizedTest
  @EnumSource(Way.class)
  void shouldBeSeenWhileItTakesNothing(Way way) throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final FakeWorker worker = given.workers.getFirst();
      worker.tokens = 1_000_000;
      worker.padding = 16_000;
      final RawClient client = given.raw().send(POST);
      RouterFixture.eventually("the worker is stopped", () -> isStill(worker));

      way.leave(client);

      within("the worker knows", () -> worker.cancelled.get() == 1);
      given.awaitIdle();
    }
  }

  @Test
  void shouldNotGoToAWorkerWhenItLeftWhileItWaited() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.admission = new AdmissionOptions(1, 1, Duration.ofSeconds(20), 0, 1);
      given.start();
      final FakeWorker worker = given.workers.getFirst();
      worker.stalls = true;
      final RawClient first = given.raw().send(POST);
      RouterFixture.eventually("first", () -> worker.begun.get() == 1);
      final RawClient second = given.raw().send(POST);
      RouterFixture.eventually("second", () -> given.router().underWay() == 2);

      second.close();

      within("its place is free", () -> given.router().underWay() == 1);
      first.close();
      given.awaitIdle();
      assertThat(worker.begun.get()).isEqualTo(1);
    }
  }

  private static boolean isStill(FakeWorker worker) {
    final int before = worker.tokensWritten.get();
    try {
      Thread.sleep(200);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return before > 0 && worker.tokensWritten.get() == before;
  }

  private static void within(String what, BooleanSupplier condition) {
    final long leftNs = System.nanoTime();
    RouterFixture.eventually(what, condition);
    assertThat(Duration.ofNanos(System.nanoTime() - leftNs)).as(what).isLessThan(LONGEST);
  }
}
