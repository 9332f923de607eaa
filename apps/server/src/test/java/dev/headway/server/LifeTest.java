package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.engine.EngineState;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.probes.otel.metric.Metrics;
import dev.headway.probes.otel.metric.MetricsOptions;
import dev.headway.scheduler.engine.ExecutorFailurePolicy;
import dev.headway.serving.TextExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Clients that go, clients that do not read, models that fail, and the server's own end. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LifeTest {

  private static final String COMPLETIONS = "/v1/completions";
  private static final String LONG =
      "{\"prompt\":\"x\",\"max_tokens\":60000,\"n\":4,\"stream\":true}";
  private static final String TEXT = "y".repeat(900);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final Watch watch = new Watch();
  private final Served.Setup setup = new Served.Setup().probe(watch);
  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldCancelARequestWhoseClientGoesAwayAndFreeItsBlocks() throws IOException {
    final TextExecutor executor = new TextExecutor(TEXT, 65).hold(); // one request fills the cache
    setup.prefixCache = PrefixCacheOptions.disabled();
    served = setup.start(executor);

    try (Socket client = request("{\"prompt\":\"x\",\"max_tokens\":900,\"stream\":true}", 65_536)) {
      executor.let(100);
      readUntil(client.getInputStream(), "\"text\":\"y\"");
      client.setSoLinger(true, 0); // goes without a word
    }
    Watch.until("writing to it fails", () -> served.server.underWay() == 0);
    executor.letAll();
    Watch.until("the request ends", () -> served.engine.stats().finished() == 1);

    assertThat(watch.ends).containsExactly("ABORTED frees");
    assertThat(watch.blocksHeld).isZero();
    assertThat(watch.stages())
        .containsExactly(
            "arrived",
            "tokenize_started",
            "tokenize_ended",
            "handoff_to_core",
            "first_response_from_core",
            "aborted:client_disconnect");
    assertThat(
            served
                .answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":900}")
                .path("usage")
                .path("completion_tokens")
                .asInt())
        .isEqualTo(900);
  }

  @Test
  void shouldCancelARequestWhoseTokensAreNotTaken() throws IOException {
    final TextExecutor executor = serveLongAnswers(512, Duration.ofHours(1)).hold();

    try (Socket client = request(LONG, 4_096)) {
      executor.let(40_000); // more than the system keeps for the client
      Watch.until("its thread ends", () -> served.server.underWay() == 0);
      assertThat(client.isClosed()).isFalse();
    }
    executor.letAll();
    Watch.until("it is cancelled", () -> served.engine.stats().finished() == 4);

    assertThat(served.engine.stats().listenersFailed()).isZero();
    assertThat(watch.ends).hasSize(4).allMatch(end -> end.startsWith("ABORTED"));
    Watch.until("it is told", () -> watch.stages().getLast().startsWith("aborted:"));
    assertShortAnswer();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCancelAWholeAnswerWhoseClientHasGone(boolean byReset) throws IOException {
    final TextExecutor executor = new TextExecutor(TEXT, 65).hold(); // one request fills the cache
    setup.prefixCache = PrefixCacheOptions.disabled();
    served = setup.start(executor);

    try (Socket client = request("{\"prompt\":\"x\",\"max_tokens\":900}", 65_536)) {
      executor.let(10);
      Watch.until("it runs", () -> served.engine.stats().steps() >= 5);
      client.setSoLinger(byReset, 0);
    }
    stepUntilItEnds(executor, 0);
    executor.letAll();

    assertThat(watch.ends).containsExactly("ABORTED frees");
    Watch.until("its thread ends", () -> served.server.underWay() == 0);
    Watch.until(
        "the end is reported", () -> watch.stages().getLast().equals("aborted:client_disconnect"));
  }

  /** The best of three tries: another program may hold up the server, but not each time. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCancelAWholeAnswerWithinASecondOfItsClientsEnd(boolean byReset) throws IOException {
    final TextExecutor executor = serveLongAnswers(1_000_000, Duration.ofHours(1)).hold();
    long shortestNs = Long.MAX_VALUE;

    for (int tries = 0; tries < 3 && shortestNs >= SECOND.toNanos(); tries++) {
      shortestNs = Math.min(shortestNs, nsUntilCancelled(executor, byReset));
    }
    executor.letAll();

    assertThat(Duration.ofNanos(shortestNs)).isLessThan(SECOND);
    assertThat(watch.ends).allMatch(end -> end.startsWith("ABORTED"));
  }

  /** From the end of the socket to that of the request, while the model goes on step by step. */
  private long nsUntilCancelled(TextExecutor executor, boolean byReset) throws IOException {
    final int endsBefore = watch.ends.size();
    final long stepsBefore = served.engine.stats().steps();
    final long goneNs;
    try (Socket client = request("{\"prompt\":\"x\",\"max_tokens\":60000}", 65_536)) {
      executor.let(5);
      Watch.until("it runs", () -> served.engine.stats().steps() >= stepsBefore + 5);
      client.setSoLinger(byReset, 0);
      goneNs = System.nanoTime();
    }
    stepUntilItEnds(executor, endsBefore);
    return System.nanoTime() - goneNs;
  }

  /** At most 1,000 tokens in a second: 900 leave the server that long to see its client's end. */
  private void stepUntilItEnds(TextExecutor executor, int endsBefore) {
    final long beginNs = System.nanoTime();
    while (watch.ends.size() == endsBefore && System.nanoTime() - beginNs < 5 * SECOND.toNanos()) {
      executor.let(1);
      LockSupport.parkNanos(1_000_000);
    }
  }

  @Test
  void shouldEndARequestAtItsDeadline() {
    setup.options = usual -> usual.withLimits(usual.limits().withTimeout(Duration.ofNanos(1)));
    served = setup.start(new TextExecutor(TEXT, 200));

    final HttpResponse<String> whole = served.post(COMPLETIONS, "{\"prompt\":\"x\"}");
    final List<JsonNode> stream = served.events(COMPLETIONS, "{\"prompt\":\"x\",\"stream\":true}");

    assertThat(whole.statusCode()).isEqualTo(504);
    assertThat(Served.json(whole.body()).path("error").path("code").asString())
        .isEqualTo("deadline");
    assertThat(stream.getLast().path("error").path("code").asString()).isEqualTo("deadline");
  }

  @Test
  void shouldAskARequestThatIsNotBegunInTimeToComeBack() {
    setup.timeouts = RequestTimeouts.NONE.withQueue(Duration.ofNanos(1));
    served = setup.start(new TextExecutor(TEXT, 200));

    final HttpResponse<String> whole = served.post(COMPLETIONS, "{\"prompt\":\"x\"}");

    assertThat(whole.statusCode()).isEqualTo(503);
    assertThat(whole.headers().firstValue("retry-after")).contains("1");
    assertThat(Served.json(whole.body()).path("error").path("code").asString())
        .isEqualTo("queue_timeout");
  }

  @Test
  void shouldEndARequestThatRunsForTooLong() {
    setup.timeouts = RequestTimeouts.NONE.withRun(Duration.ofNanos(1));
    served = setup.start(new TextExecutor(TEXT, 200));

    final HttpResponse<String> whole = served.post(COMPLETIONS, "{\"prompt\":\"x\"}");
    final List<JsonNode> stream = served.events(COMPLETIONS, "{\"prompt\":\"x\",\"stream\":true}");

    assertThat(whole.statusCode()).isEqualTo(504);
    assertThat(Served.json(whole.body()).path("error").path("code").asString())
        .isEqualTo("run_timeout");
    assertThat(stream.getLast().path("error").path("code").asString()).isEqualTo("run_timeout");
  }

  /** One token waits as long as its event is written: with this bound every answer would be cut. */
  @Test
  void shouldNotCutAClientThatReadsForWhatTheServerHasNotWritten() {
    setup.options = usual -> usual.withLimits(10_000, 1, Duration.ofSeconds(20));
    served = setup.start(new TextExecutor(TEXT, 1_000));

    final List<JsonNode> events =
        served.events(
            COMPLETIONS,
            "{\"prompt\":\"x\",\"max_tokens\":400,\"n\":8,\"ignore_eos\":true,\"stream\":true,"
                + "\"stream_options\":{\"include_usage\":true}}");

    assertThat(events.getLast().path("usage").path("completion_tokens").asInt()).isEqualTo(3_200);
  }

  @Test
  void shouldCutOffAClientThatTakesNothingForTooLong() throws IOException {
    serveLongAnswers(1_000_000, Duration.ofMillis(100));

    try (Socket client = request(LONG, 4_096)) {
      Watch.until("its thread ends", () -> watch.ends.size() == 4 && served.server.underWay() == 0);
      assertThat(client.isClosed()).isFalse();
    }

    Watch.until("it is told", () -> watch.stages().getLast().equals("aborted:client_disconnect"));
    assertShortAnswer();
  }

  @Test
  void shouldNotHoldTheEngineUpForAClientThatTakesNothing() throws IOException {
    serveLongAnswers(1_000_000, Duration.ofHours(1));

    try (Socket client = request(LONG, 4_096)) {
      Watch.until("all is computed", () -> watch.ends.size() == 4);
      assertThat(client.isClosed()).isFalse();
    }

    assertThat(watch.ends).allMatch(end -> end.startsWith("LENGTH"));
    Watch.until("its thread ends", () -> served.server.underWay() == 0);
    assertShortAnswer();
  }

  private TextExecutor serveLongAnswers(int maxUnreadTokens, Duration writeTimeout) {
    setup.maxModelLen = 65_536;
    setup.options =
        usual ->
            usual
                .withLimits(usual.limits().withNumbers(1, 1, 300_000))
                .withLimits(10_000, maxUnreadTokens, writeTimeout);
    final TextExecutor executor = new TextExecutor("z".repeat(60_000), 16_500);
    served = setup.start(executor);
    return executor;
  }

  private void assertShortAnswer() {
    final JsonNode answer = served.answer(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":5}");
    assertThat(answer.path("choices").path(0).path("text").asString()).isEqualTo("zzzzz");
  }

  @Test
  void shouldFinishWhatIsUnderWayWhileItDrains() throws Exception {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    served = setup.start(executor);
    final HttpResponse<Stream<String>> underWay =
        served.stream(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":50,\"stream\":true}");

    final CompletableFuture<Boolean> drained =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return served.server.drain(Duration.ofSeconds(20));
              } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
              }
            });
    Watch.until("it drains", () -> served.get("/health").statusCode() == 503);
    final HttpResponse<String> late = served.post(COMPLETIONS, "{\"prompt\":\"x\"}");
    assertThat(late.statusCode()).isEqualTo(503);
    assertThat(late.headers().firstValue("Retry-After")).isPresent();
    Watch.until("the engine drains", () -> served.engine.state() == EngineState.DRAINING);
    assertThat(drained).isNotDone();
    executor.letAll();

    assertThat(Served.events(underWay).getLast().path("choices").path(0).path("finish_reason"))
        .hasToString("\"length\"");
    assertThat(drained.get()).isTrue();
    assertThat(served.get("/health").body()).contains("draining");
  }

  @Test
  void shouldTellThoseUnderWayWhenTheTimeIsUp() throws Exception {
    final TextExecutor executor = new TextExecutor(TEXT, 200);
    served = setup.start(executor.hold());
    final HttpResponse<Stream<String>> underWay =
        served.stream(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":50,\"stream\":true}");

    final boolean all = served.server.drain(Duration.ofMillis(50));
    executor.fail(new IllegalStateException("the end"));
    executor.letAll();
    served.engine.close();

    assertThat(all).isFalse();
    assertThat(Served.events(underWay).getLast().path("error").path("message").asString())
        .isNotEmpty();
  }

  @Test
  void shouldSayThatItIsStalled() {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    setup.stallThreshold = Duration.ofMillis(50);
    setup.metrics = new Metrics(MetricsOptions.defaults());
    served = setup.start(executor);
    final HttpResponse<Stream<String>> underWay =
        served.stream(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":3,\"stream\":true}");

    Watch.until("it stalls", () -> served.get("/health").statusCode() == 503);

    assertThat(served.get("/ready").statusCode()).isEqualTo(503);
    assertThat(served.get("/health").body()).contains("\"stalled\"", "seconds_without_progress");
    assertThat(served.get("/metrics").body()).contains("\nheadway_engine_stalled 1\n");
    executor.letAll();
    assertThat(Served.events(underWay)).isNotEmpty();
    Watch.until("it gets on", () -> served.get("/ready").statusCode() == 200);
    assertThat(served.get("/metrics").body()).contains("\nheadway_engine_stalled 0\n");
  }

  @Test
  void shouldAnswerThatTheModelFailed() {
    final TextExecutor executor = new TextExecutor(TEXT, 200);
    executor.fail(new IllegalStateException("device lost"));
    setup.onFailure = ExecutorFailurePolicy.STOP;
    served = setup.start(executor);

    final HttpResponse<String> response = served.post(COMPLETIONS, "{\"prompt\":\"x\"}");

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(response.body()).contains("executor_failed", "device lost");
    Watch.until("the engine is dead", () -> served.get("/health").statusCode() == 503);
    assertThat(served.get("/health").body()).contains("failed");
    assertThat(served.post(COMPLETIONS, "{\"prompt\":\"x\"}").statusCode()).isEqualTo(503);
  }

  @Test
  void shouldTellAFailureInsideAStream() {
    final TextExecutor executor = new TextExecutor(TEXT, 200);
    executor.fail(new IllegalStateException("device lost"));
    served = setup.start(executor);

    final List<JsonNode> events = served.events(COMPLETIONS, "{\"prompt\":\"x\",\"stream\":true}");

    assertThat(events).hasSize(1);
    assertThat(events.getFirst().path("error").path("code").asString())
        .isEqualTo("executor_failed");
    Watch.until("it is told", () -> watch.stages().contains("aborted:generation_error"));
  }

  @Test
  void shouldReportTheJourneyAndPassTheTraceOn() {
    served = setup.start(new TextExecutor(TEXT, 200));
    final String parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    served.post(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":3}", "traceparent", parent);
    served.post(COMPLETIONS, "{\"prompt\":\"x\",\"max_tokens\":0}");

    Watch.until("both have ended", () -> watch.stages().size() == 8);
    assertThat(watch.stages())
        .containsExactly(
            "arrived",
            "tokenize_started",
            "tokenize_ended",
            "handoff_to_core",
            "first_response_from_core",
            "departed",
            "arrived",
            "aborted:validation_error");
    assertThat(watch.traceParents).containsExactly(parent);
    for (int i = 1; i < 6; i++) {
      assertThat(watch.journeys.get(i).atNs())
          .isGreaterThanOrEqualTo(watch.journeys.get(i - 1).atNs());
    }
  }

  /** Sends a request over a socket of its own, which then does what a test wants. */
  private Socket request(String body, int receiveBytes) throws IOException {
    final Socket socket = new Socket();
    socket.setReceiveBufferSize(receiveBytes);
    socket.connect(new InetSocketAddress("127.0.0.1", served.server.address().getPort()));
    socket
        .getOutputStream()
        .write(
            ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static void readUntil(InputStream in, String text) throws IOException {
    final StringBuilder read = new StringBuilder();
    while (read.indexOf(text) < 0) {
      final int next = in.read();
      assertThat(next).as("the answer so far: %s", read).isNotNegative();
      read.append((char) next);
    }
  }
}
