package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.ApiKeys;
import dev.headway.http.Cors;
import dev.headway.http.ServerTls;
import dev.headway.http.TlsFiles;
import dev.headway.router.admission.AdmissionOptions;
import dev.headway.router.record.Attempt;
import dev.headway.router.resilience.CircuitBreaker;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.TimingJson;
import dev.headway.routing.timing.TimingStage;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A router over sockets, with workers that misbehave. */
class RouterTest {

  private static final String BODY = "{\"model\":\"fake\",  \"prompt\":\"Once\",\"stream\":true}";

  @Test
  void shouldPassBodyHeadersAndAnswerOnUnchanged() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      final HttpRequest request =
          given
              .request("/v1/completions")
              .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
              .header("tracestate", "vendor=1")
              .header("x-request-id", "mine")
              .header("authorization", "Bearer secret")
              .POST(HttpRequest.BodyPublishers.ofString(BODY))
              .build();

      final HttpResponse<String> answer = given.send(request);

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).contains("\"w0\"", "\"w3\"").endsWith("data: [DONE]\n\n");
      assertThat(answer.headers().firstValue("x-request-id")).contains("mine");
      assertThat(answer.headers().firstValue(TimingJson.ROUTER_HEADER)).isEmpty();
      final FakeWorker served = servedBy(given);
      assertThat(served.bodies).containsExactly(BODY);
      assertThat(served.heads.element())
          .contains("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
          .contains("vendor=1")
          .contains("x-request-id=mine")
          .contains("Bearer secret");
      given.awaitIdle();
    }
  }

  private static FakeWorker servedBy(RouterFixture given) {
    return given.workers.stream().filter(each -> each.begun.get() > 0).findFirst().orElseThrow();
  }

  @Test
  void shouldMakeRequestIdAndTraceContextWhereThereIsNone() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final HttpResponse<String> answer = given.send(given.completion(BODY));

      final String id = answer.headers().firstValue("x-request-id").orElseThrow();
      assertThat(id).matches("req-[0-9a-f]{32}");
      assertThat(given.workers.getFirst().heads.element())
          .contains("x-request-id=" + id)
          .containsPattern("traceparent=00-[0-9a-f]{32}-[0-9a-f]{16}-01");
    }
  }

  @Test
  void shouldSayItsInstantsWhenAsked() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      final long beforeNs = HostClock.nanoTime();

      final HttpResponse<String> answer =
          given.send(given.completion("{\"prompt\":\"Once\",\"return_timing\":true}"));

      final JsonNode json =
          JsonMapper.shared()
              .readTree(answer.headers().firstValue(TimingJson.ROUTER_HEADER).orElseThrow());
      final RouterTiming timing = TimingJson.readRouter(json);
      assertThat(timing.clock()).isEqualTo(HostClock.id());
      assertThat(
              List.of(
                  beforeNs,
                  timing.at().ns(TimingStage.ROUTER_RECEIVED),
                  timing.at().ns(TimingStage.ROUTER_PICKED),
                  timing.at().ns(TimingStage.TO_SERVER),
                  timing.headNs(),
                  HostClock.nanoTime()))
          .isSorted();
      assertThat(timing.worker()).isEqualTo(servedBy(given).id());
      assertThat(timing.policy()).isEqualTo("round-robin");
      assertThat(timing.candidates()).isEqualTo(2);
      assertThat(timing.promptUnits()).isEqualTo(4);
      assertThat(timing.attempt()).isZero();
    }
  }

  /** Not one of a worker's: what a client wants to know of what it talks to. */
  @Test
  void shouldAnswerForItselfHowItIsAndHowLoaded() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.clients = rules -> rules.withKeys(ApiKeys.of("secret"));
      given.workers.getFirst().stalls = true;
      given.start();
      final HttpRequest stalled =
          given
              .request("/v1/completions")
              .header("authorization", "Bearer secret")
              .POST(HttpRequest.BodyPublishers.ofString(BODY))
              .build();
      try (HttpClient client = HttpClient.newHttpClient()) {
        client.sendAsync(stalled, BodyHandlers.ofString());
        RouterFixture.eventually("it is under way", () -> given.router().underWay() == 1);

        final HttpResponse<String> load =
            given.send(given.request("/load").header("authorization", "Bearer secret").build());
        final HttpResponse<String> ping =
            given.send(given.request("/ping").POST(BodyPublishers.noBody()).build());

        assertThat(load.body()).isEqualTo("{\"server_load\":1}");
        assertThat(given.send(given.request("/load").build()).statusCode()).isEqualTo(401);
        assertThat(ping.statusCode()).as("without the key").isEqualTo(200);
        assertThat(ping.body()).contains("\"healthy_workers\":1");
        client.shutdownNow();
      }
      given.awaitIdle();
    }
  }

  @Test
  void shouldLetNamedPagesAskAndRead() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.clients =
          rules ->
              rules.withKeys(ApiKeys.of("secret")).withCors(Cors.of(List.of("http://page:3000")));
      given.start();

      final HttpResponse<String> preflight =
          given.send(
              given
                  .request("/v1/completions")
                  .header("Origin", "http://page:3000")
                  .header("Access-Control-Request-Method", "POST")
                  .method("OPTIONS", BodyPublishers.noBody())
                  .build());
      final HttpResponse<String> answer =
          given.send(
              given
                  .request("/v1/completions")
                  .header("Origin", "http://page:3000")
                  .header("Content-Type", "application/json")
                  .header("Authorization", "Bearer secret")
                  .POST(BodyPublishers.ofString(BODY))
                  .build());
      final HttpResponse<String> refused =
          given.send(given.request("/load").header("Origin", "http://page:3000").GET().build());

      assertThat(preflight.statusCode()).as("without the key").isEqualTo(204);
      assertThat(preflight.headers().firstValue("Access-Control-Allow-Methods"))
          .hasValue("GET, POST");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(refused.statusCode()).isEqualTo(401);
      for (HttpResponse<String> each : List.of(preflight, answer, refused)) {
        assertThat(each.headers().allValues("Access-Control-Allow-Origin"))
            .containsExactly("http://page:3000");
      }
      assertThat(given.workers.getFirst().begun.get()).isEqualTo(1);
    }
  }

  @Test
  void shouldTakeEncryptedConnections(@TempDir Path folder) throws Exception {
    final TlsFiles files = TlsFiles.in(folder);
    final ServerTls tls = ServerTls.of(files.certificate(), files.key());
    try (RouterFixture given = new RouterFixture(1)) {
      given.clients = rules -> rules.withTls(tls);
      given.start();
      try (HttpClient client = HttpClient.newBuilder().sslContext(files.trusting()).build()) {
        final HttpRequest request =
            HttpRequest.newBuilder(
                    URI.create("https://localhost:" + given.port() + "/v1/completions"))
                .POST(BodyPublishers.ofString(BODY))
                .build();

        final HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"w0\"", "\"w3\"").endsWith("data: [DONE]\n\n");
      }
      given.awaitIdle();
    }
  }

  @Test
  void shouldTakeRequestToAnotherWorkerBeforeTheFirstByte() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      given.workers.get(0).status = 503;
      given.workers.get(1).cutsAfter = -1;

      for (int i = 0; i < 4; i++) {
        assertThat(given.send(given.completion(BODY)).statusCode()).isEqualTo(200);
      }

      assertThat(given.workers.get(0).begun.get()).isPositive();
      assertThat(given.workers.get(1).finished.get()).isEqualTo(4);
      assertThat(given.attemptsMade).extracting(Attempt::outcome).contains("failed", "completed");
      given.awaitIdle();
    }
  }

  @Test
  void shouldPassOnTheLastRefusalWhenAttemptsAreUsedUp() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.attempts = 2;
      given.workers.getFirst().status = 503;
      given.start();

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(answer.body()).contains("the worker refuses");
      assertThat(given.workers.getFirst().begun.get()).isEqualTo(2);
      given.awaitIdle();
    }
  }

  @Test
  void shouldSayWhyWhenEveryWorkerCutsBeforeTheHead() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.attempts = 2;
      given.workers.getFirst().cutsAfter = 0;
      given.start();

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(answer.statusCode()).isEqualTo(502);
      assertThat(answer.body()).contains("worker_failed", "the worker closed the connection");
      given.awaitIdle();
    }
  }

  @Test
  void shouldEndStreamWithAnErrorWhenItsWorkerCutsIt() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      given.workers.forEach(each -> each.cutsAfter = 2);

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body())
          .contains("\"w1\"")
          .contains("data: {\"error\":{\"message\":\"the worker failed")
          .doesNotContain("[DONE]");
      assertThat(given.workers.stream().mapToInt(each -> each.begun.get()).sum())
          .as("never tried again once a byte was passed on")
          .isEqualTo(1);
      given.awaitIdle();
    }
  }

  @Test
  void shouldOpenBreakerOfFailingWorkerAndCloseItAgain() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      given.workers.getFirst().status = 500;
      for (int i = 0; i < 8; i++) {
        assertThat(given.send(given.completion(BODY)).statusCode()).isEqualTo(200);
      }
      assertThat(given.workers.getFirst().begun.get()).as("until it opened").isEqualTo(3);
      assertThat(given.breaker(0)).isNotEqualTo(CircuitBreaker.State.CLOSED);

      given.workers.getFirst().status = 200;
      RouterFixture.eventually(
          "the breaker closes",
          () -> {
            try {
              given.send(given.completion(BODY));
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
            return given.breaker(0) == CircuitBreaker.State.CLOSED;
          });
      given.awaitIdle();
    }
  }

  /** 300 streams, a worker killed in the middle: each ends once, whole or with a reason. */
  @Test
  void shouldAnswerEveryRequestOnceWhenAWorkerDiesAtLoad() throws Exception {
    try (RouterFixture given = new RouterFixture(3).start()) {
      given.workers.forEach(
          each -> {
            each.tokens = 20;
            each.gapMs = 10;
          });
      final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        answers.add(given.http.sendAsync(given.completion(BODY), BodyHandlers.ofString()));
        if (i == 200) {
          RouterFixture.eventually("streams", () -> given.workers.getFirst().begun.get() > 20);
          given.workers.getFirst().die();
        }
      }

      int whole = 0;
      int cut = 0;
      for (CompletableFuture<HttpResponse<String>> each : answers) {
        final HttpResponse<String> answer = each.join();
        assertThat(answer.statusCode()).isEqualTo(200);
        if (answer.body().endsWith("data: [DONE]\n\n")) {
          whole++;
        } else {
          assertThat(answer.body()).contains("\"code\":\"worker_failed\"");
          cut++;
        }
      }

      assertThat(whole + cut).isEqualTo(300);
      assertThat(cut).as("streams of the dead worker").isPositive();
      assertThat(given.workers.stream().mapToInt(each -> each.finished.get()).sum())
          .as("answered whole, none twice")
          .isEqualTo(whole);
      given.awaitIdle();
      final Set<String> completed = new HashSet<>();
      for (Attempt each : given.attemptsMade) {
        if (each.outcome().equals("completed")) {
          assertThat(completed.add(each.decision().request().requestId())).isTrue();
        }
      }
      assertThat(completed).hasSize(whole);
    }
  }

  @Test
  void shouldCancelAtTheWorkersWhenAThousandClientsGoAway() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start()) {
      given.workers.forEach(
          each -> {
            each.tokens = 1_000_000;
            each.gapMs = 50;
          });
      final List<Socket> clients = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        clients.add(raw(given, BODY));
      }
      RouterFixture.eventually("all under way", () -> given.load() == 1_000);

      for (Socket each : clients) {
        each.close();
      }

      given.awaitIdle();
      RouterFixture.eventually(
          "the workers see it",
          () -> given.workers.stream().mapToInt(each -> each.cancelled.get()).sum() == 1_000);
      assertThat(given.attemptsMade).extracting(Attempt::outcome).containsOnly("cancelled");
    }
  }

  private static Socket raw(RouterFixture given, String body) throws IOException {
    final Socket socket = new Socket("127.0.0.1", given.port());
    final OutputStream out = socket.getOutputStream();
    out.write(
        ("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body)
            .getBytes(StandardCharsets.UTF_8));
    out.flush();
    return socket;
  }

  @Test
  void shouldCancelARequestThatWaitsForItsHead() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      given.workers.getFirst().stalls = true;
      final Socket client = raw(given, BODY);
      RouterFixture.eventually("begun", () -> given.workers.getFirst().begun.get() == 1);

      client.close();

      RouterFixture.eventually("seen", () -> given.workers.getFirst().cancelled.get() == 1);
      given.awaitIdle();
    }
  }

  /** What a slow client does not take stays at the worker, not in the router. */
  @Test
  void shouldLetTheWorkerWaitForASlowClient() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final FakeWorker worker = given.workers.getFirst();
      worker.tokens = 4_000;
      worker.padding = 16_000;
      try (Socket client = raw(given, BODY)) {
        RouterFixture.eventually("the worker is stopped", () -> isStill(worker));
        final int stopped = worker.tokensWritten.get();
        assertThat(stopped).isLessThan(3_000);

        final InputStream in = client.getInputStream();
        final byte[] part = new byte[1 << 16];
        while (worker.finished.get() == 0 && in.read(part) > 0) {
          // takes it all
        }

        assertThat(worker.tokensWritten.get()).isEqualTo(4_000);
      }
      given.awaitIdle();
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

  @Test
  void shouldAnswerWithTimeoutWhenTheWorkerStalls() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.requestTimeout = Duration.ofMillis(200);
      given.workers.getFirst().stalls = true;
      given.start();

      final HttpResponse<String> answer = given.send(given.completion(BODY));

      assertThat(answer.statusCode()).isEqualTo(504);
      assertThat(answer.body()).contains("\"code\":\"timeout\"");
      given.awaitIdle();
      RouterFixture.eventually("seen", () -> given.workers.getFirst().cancelled.get() == 1);
    }
  }

  @Test
  void shouldLetRequestsWaitAndTurnAwayThoseThatFindNoRoom() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.admission = new AdmissionOptions(1, 1, Duration.ofSeconds(20), 0, 1);
      given.start();
      final FakeWorker worker = given.workers.getFirst();
      worker.tokens = 20;
      worker.gapMs = 20;
      final var first = given.http.sendAsync(given.completion(BODY), BodyHandlers.ofString());
      RouterFixture.eventually("first", () -> worker.begun.get() == 1);
      final var second = given.http.sendAsync(given.completion(BODY), BodyHandlers.ofString());
      RouterFixture.eventually("second", () -> given.router().underWay() == 2);

      final HttpResponse<String> third = given.send(given.completion(BODY));

      assertThat(third.statusCode()).isEqualTo(429);
      assertThat(third.headers().firstValue("retry-after")).contains("1");
      assertThat(third.body()).contains("\"type\":\"rate_limit_error\"", "room_full");
      assertThat(first.join().statusCode()).isEqualTo(200);
      assertThat(second.join().statusCode()).isEqualTo(200);
      given.awaitIdle();
    }
  }

  @Test
  void shouldGiveUpWaitingAfterAWhile() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.admission = new AdmissionOptions(1, 1, Duration.ofMillis(100), 0, 1);
      given.start();
      given.workers.getFirst().stalls = true;
      final Socket first = raw(given, BODY);
      RouterFixture.eventually("first", () -> given.workers.getFirst().begun.get() == 1);

      final HttpResponse<String> second = given.send(given.completion(BODY));

      assertThat(second.statusCode()).isEqualTo(408);
      first.close();
      given.awaitIdle();
    }
  }

  @Test
  void shouldRefuseBodiesThatAreTooLong() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.clients = usual -> usual.withBodyBytes(1_000);
      given.start();

      final HttpResponse<String> answer = given.send(given.completion("x".repeat(1_001)));

      assertThat(answer.statusCode()).isEqualTo(413);
      assertThat(answer.body()).contains("the body must not be longer than maxBodyBytes=1000");
      given.awaitIdle();
    }
  }

  @Test
  void shouldSayWhichModelNobodyServes() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      final HttpResponse<String> answer =
          given.send(given.completion("{\"model\":\"other\",\"prompt\":\"\"}"));

      assertThat(answer.statusCode()).isEqualTo(404);
      assertThat(answer.body()).contains("model_not_found", "model='other'");
    }
  }

  @Test
  void shouldFinishStreamsWhenItDrains() throws Exception {
    try (RouterFixture given = new RouterFixture(1).start()) {
      given.workers.getFirst().tokens = 20;
      given.workers.getFirst().gapMs = 20;
      final var under = given.http.sendAsync(given.completion(BODY), BodyHandlers.ofString());
      RouterFixture.eventually("begun", () -> given.workers.getFirst().begun.get() == 1);

      final boolean all = given.router().drain(Duration.ofSeconds(20));

      assertThat(all).isTrue();
      assertThat(under.join().body()).endsWith("data: [DONE]\n\n");
    }
  }

  @Test
  void shouldListAddAndRemoveWorkersWithTheKeyOnly() throws Exception {
    try (RouterFixture given = new RouterFixture(2)) {
      given.controlKeys = ApiKeys.of("k");
      given.start();
      final FakeWorker removed = given.workers.getFirst();

      assertThat(given.send(given.request("/workers").build()).statusCode()).isEqualTo(401);
      assertThat(
              given
                  .send(
                      given
                          .request("/workers/" + removed.id())
                          .header("authorization", "Bearer k")
                          .DELETE()
                          .build())
                  .statusCode())
          .isEqualTo(200);
      given.send(given.completion(BODY));
      given.send(given.completion(BODY));
      assertThat(removed.begun.get()).isZero();

      final String entry =
          "{\"url\":\"" + removed.url() + "\",\"id\":\"again\",\"labels\":{\"zone\":\"a\"}}";
      final HttpResponse<String> added =
          given.send(
              given
                  .request("/workers")
                  .header("authorization", "Bearer k")
                  .POST(HttpRequest.BodyPublishers.ofString(entry))
                  .build());
      assertThat(added.statusCode()).isEqualTo(202);
      RouterFixture.eventually(
          "it is used",
          () -> {
            try {
              given.send(given.completion(BODY));
            } catch (IOException | InterruptedException e) {
              throw new AssertionError(e);
            }
            return removed.begun.get() > 0;
          });
      final String list =
          given.send(given.request("/workers").header("authorization", "Bearer k").build()).body();
      assertThat(list).contains("\"id\":\"again\"", "\"zone\":\"a\"", "\"is_healthy\":true");
    }
  }

  @Test
  void shouldShowHealthMetricsAndModels() throws Exception {
    try (RouterFixture given = new RouterFixture(2)) {
      given.workers.get(1).model = "other";
      given.start();
      given.send(given.completion(BODY));

      assertThat(given.send(given.request("/health").build()).statusCode()).isEqualTo(200);
      assertThat(given.send(given.request("/v1/models").build()).body())
          .contains("\"id\":\"fake\"", "\"id\":\"other\"");
      given.awaitIdle();
      assertThat(given.send(given.request("/metrics").build()).body())
          .contains("headway_router_requests_total{status=\"200\"} 1")
          .contains("headway_router_worker_in_flight{worker=\"" + given.workers.get(0).id());

      given.workers.forEach(FakeWorker::die);
      // 1,000 failed checks make a worker unhealthy in this fixture; its requests fail at once
      assertThat(given.send(given.completion(BODY)).statusCode()).isIn(502, 503);
      given.awaitIdle();
    }
  }

  @Test
  void shouldAnswerRequestsOfOneConnectionInTheirOrder() throws Exception {
    try (RouterFixture given = new RouterFixture(2).start();
        Socket client = new Socket("127.0.0.1", given.port())) {
      final String one =
          "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nx-request-id: %s\r\nContent-Length: "
              + BODY.length()
              + "\r\n\r\n"
              + BODY;
      client
          .getOutputStream()
          .write(
              (one.formatted("a") + one.formatted("b") + one.formatted("c"))
                  .getBytes(StandardCharsets.UTF_8));
      client.setSoTimeout(10_000);
      final StringBuilder text = new StringBuilder();
      final byte[] part = new byte[8_192];
      while (text.toString().split("\\[DONE]", -1).length < 4) {
        final int read = client.getInputStream().read(part);
        assertThat(read).isPositive();
        text.append(new String(part, 0, read, StandardCharsets.UTF_8));
      }

      assertThat(text.toString())
          .containsSubsequence("x-request-id: a", "x-request-id: b", "x-request-id: c");
      given.awaitIdle();
    }
  }

  @Test
  void shouldAskClientsForTheKey() throws Exception {
    try (RouterFixture given = new RouterFixture(1)) {
      given.clients = usual -> usual.withKeys(ApiKeys.of("k"));
      given.start();

      assertThat(given.send(given.completion(BODY)).statusCode()).isEqualTo(401);
      assertThat(given.workers.getFirst().begun.get()).isZero();
    }
  }
}
