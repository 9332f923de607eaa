package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.http.ApiKeys;
import dev.headway.http.BodyBudget;
import dev.headway.http.ConnectionLimits;
import dev.headway.http.RawClient;
import dev.headway.router.proxy.ClientRules;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients may do to a router, on sockets. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientRulesTest {

  private static final String PATH = "/v1/completions";
  private static final String SMALL = "{\"prompt\":\"x\"}";
  private static final String GET = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private RouterFixture given;

  @BeforeEach
  void make() {
    given = new RouterFixture(1);
  }

  private void start(UnaryOperator<ClientRules> rules) throws IOException {
    given.clients = rules;
    given.start();
  }

  private static UnaryOperator<ClientRules> connections(UnaryOperator<ConnectionLimits> limits) {
    return usual -> usual.withConnections(limits.apply(usual.connections()));
  }

  @AfterEach
  void close() {
    given.close();
  }

  // ---- connections

  @ParameterizedTest
  @CsvSource({"8,8", "100,8", "8,100"})
  void shouldLetOthersInWhileHalfSentHeadsFillTheTable(int most, int mostPerAddress)
      throws IOException {
    start(
        connections(
            usual ->
                usual
                    .withConnections(most, mostPerAddress)
                    .withReadTimeouts(Duration.ofMinutes(5), Duration.ofMinutes(5))));
    final List<RawClient> halves = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      halves.add(given.raw().send("GET /health HTTP/1.1\r\nHo"));
    }
    RouterFixture.eventually(
        "all have come, and 8 have a place",
        () -> halves.stream().filter(RawClient::isCut).count() == 42);

    for (int i = 0; i < 10; i++) {
      try (RawClient healthy = given.raw()) {
        healthy.send(RawClient.post(PATH, SMALL));
        assertThat(healthy.readUntil("[DONE]")).startsWith("HTTP/1.1 200 ");
      }
    }

    for (RawClient half : halves) {
      half.close();
    }
  }

  /** Streams are never cut for newcomers; these are refused. */
  @Test
  void shouldKeepWhatIsBeingAnswered() throws Exception {
    start(connections(usual -> usual.withConnections(2, 2)));
    given.workers.getFirst().stalls = true;
    final RawClient first = given.raw().send(RawClient.post(PATH, SMALL));
    final RawClient second = given.raw().send(RawClient.post(PATH, SMALL));
    RouterFixture.eventually("both", () -> given.workers.getFirst().begun.get() == 2);

    try (RawClient third = given.raw()) {
      assertThat(third.readAll()).isEmpty();
    }

    assertThat(given.load()).isEqualTo(2);
    first.close();
    second.close();
    given.awaitIdle();
  }

  // ---- heads

  @Test
  void shouldCutWhatDoesNotArriveInTime() throws Exception {
    start(
        connections(
            usual -> usual.withReadTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(30))));
    final String post = RawClient.post(PATH, SMALL);

    try (RawClient silent = given.raw();
        RawClient head = given.raw().send("GET /health HT");
        RawClient body = given.raw().send(post.substring(0, post.length() - 5))) {
      assertThat(silent.readAll()).isEmpty();
      assertThat(head.readAll()).isEmpty();
      assertThat(body.readAll()).startsWith("HTTP/1.1 408 ").contains("request_timeout");
    }

    assertHealthy();
  }

  @Test
  void shouldCutABodyThatNeverEnds() throws Exception {
    start(
        connections(
            usual -> usual.withReadTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1))));
    final String post = RawClient.post(PATH, SMALL);

    try (RawClient body = given.raw().send(post.substring(0, post.length() - 5))) {
      assertThat(body.readAll()).startsWith("HTTP/1.1 408 ");
    }

    assertHealthy();
  }

  @Test
  void shouldRefuseHeadsThatAreTooLong() throws Exception {
    start(usual -> usual);
    final String begin = "GET /health HTTP/1.1\r\nHost: localhost\r\n";

    assertRefused(431, begin + "X: " + "a".repeat(17_000) + "\r\n\r\n");
    assertRefused(431, begin + "X: a\r\n".repeat(101) + "\r\n");
    assertRefused(414, "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertHealthy();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "folded line       | 400 | GET /health HTTP/1.1~Host: localhost~X-A: 1~  2~~",
        "signed length     | 400 | POST /v1/completions HTTP/1.1~Host: a~Content-Length: +29~~{}",
        "two lengths       | 400 | POST / HTTP/1.1~Host: a~Content-Length: 2~Content-Length: 3~~{}",
        "length and chunks | 400 | POST / HTTP/1.1~Host: a~Content-Length: 2~Transfer-Encoding:"
            + " chunked~~0~~",
        "other encoding    | 400 | POST / HTTP/1.1~Host: a~Transfer-Encoding: gzip~~",
        "other expectation | 417 | POST / HTTP/1.1~Host: a~Expect: junk~Content-Length: 2~~{}",
        "no host           | 400 | GET /health HTTP/1.1~~",
        "two hosts         | 400 | GET /health HTTP/1.1~Host: a~Host: b~~",
        "other version     | 505 | GET /health HTTP/3.0~Host: a~~",
        "bad chunk         | 400 | POST /v1/completions HTTP/1.1~Host: localhost~Transfer-Encoding:"
            + " chunked~~zz~~"
      })
  void shouldRefuseWhatIsNoRequest(String name, int status, String request) throws Exception {
    start(usual -> usual);

    for (int i = 0; i < 2; i++) {
      try (RawClient raw = given.raw().send(request.replace("~", "\r\n"))) {
        assertThat(raw.readAll())
            .as(name)
            .startsWith("HTTP/1.1 " + status + " ")
            .contains("\"error\"")
            .containsIgnoringCase("connection: close");
      }
    }

    assertHealthy();
    assertThat(given.workers.getFirst().begun.get()).as("no worker saw them").isEqualTo(1);
  }

  /** The rest of a body looks like a folded head. */
  @Test
  void shouldTakeABodyWhoseRestComesAfterTheAnswerToAnEarlierRequest() throws Exception {
    start(usual -> usual);
    final String post = RawClient.post(PATH, "{\n  \"prompt\":\n    \"x\"\n}");
    final int part = post.indexOf("  \"prompt");

    try (RawClient raw = given.raw().send(GET + post.substring(0, part))) {
      raw.readUntil("healthy_workers");
      raw.send(post.substring(part));
      assertThat(raw.readUntil("[DONE]")).contains(" 200 ");
    }
  }

  @Test
  void shouldSayThatItTakesABodyBeforeItIsSent() throws Exception {
    start(usual -> usual);
    try (RawClient raw = given.raw()) {
      raw.send(
          RawClient.post(PATH, SMALL)
              .replace("\r\n\r\n" + SMALL, "\r\nExpect: 100-continue\r\n\r\n"));
      assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
      raw.send(SMALL);
      assertThat(raw.readUntil("[DONE]")).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void shouldAnswerHeadWithoutABody() throws Exception {
    start(usual -> usual);
    try (RawClient raw = given.raw()) {
      raw.send(GET.replace("GET /health", "HEAD /v1/models") + GET);
      assertThat(raw.readUntil("healthy_workers"))
          .startsWith("HTTP/1.1 200 ")
          .contains("\r\n\r\nHTTP/1.1 200");
    }
  }

  // ---- bodies

  /** One stalled upload after another must not take the memory of all others. */
  @Test
  void shouldAnswerOthersWhileHalfSentBodiesHoldTheirMemory() throws Exception {
    final int bodyBytes = 1 << 20;
    start(
        usual ->
            usual
                .withBodies(bodyBytes, 4L * bodyBytes)
                .withConnections(
                    usual
                        .connections()
                        // all are sent before the first is late, also on a busy machine
                        .withReadTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(8))));
    final String post =
        RawClient.post(PATH, "{\"prompt\":\"" + "x".repeat(bodyBytes - 100) + "\"}");
    final String half = post.substring(0, post.length() / 2);
    final List<RawClient> stalled = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      stalled.add(given.raw().send(half));
    }

    for (int i = 0; i < 5; i++) {
      assertHealthy();
    }

    int full = 0;
    int late = 0;
    for (RawClient each : stalled) {
      final String answer = each.readAll();
      full += answer.startsWith("HTTP/1.1 503 ") && answer.contains(BodyBudget.BODIES_FULL) ? 1 : 0;
      late += answer.startsWith("HTTP/1.1 408 ") ? 1 : 0;
      each.close();
    }
    assertThat(late).as("as many as half of the memory holds").isBetween(3, 4);
    assertThat(full + late).isEqualTo(20);
    try (RawClient whole = given.raw().send(post)) { // and their memory is back
      assertThat(whole.readUntil("[DONE]")).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void shouldRefuseALengthBeforeTheBodyComes() throws Exception {
    start(usual -> usual.withBodyBytes(1_000));

    assertRefused(
        413, "POST " + PATH + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1001\r\n\r\n");
    assertRefused(
        413,
        "POST "
            + PATH
            + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n"
            + "x".repeat(1_001)
            + "\r\n0\r\n\r\n");
  }

  @Test
  void shouldRefuseABodyThatWouldMakeAHugeTree() throws Exception {
    start(usual -> usual.withBodies(1 << 20, 4L << 20));

    final HttpResponse<String> answer =
        given.send(given.completion("{\"messages\":[" + "{},".repeat(100_000) + "{}]}"));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("--max-body-memory-mib");
    assertHealthy();
  }

  // ---- keys

  @Test
  void shouldAskForAKeyEverywhereButForHealth() throws Exception {
    start(usual -> usual.withKeys(ApiKeys.of("one", "two")));

    for (String path :
        List.of("/v1/models", "/metrics", "/workers", PATH, "/nothing", "/health/..")) {
      assertThat(status(path, null)).as(path).isEqualTo(401);
      assertThat(status(path, "Bearer on")).as(path).isEqualTo(401);
      assertThat(status(path, "Bearer onee")).as(path).isEqualTo(401);
      assertThat(status(path, "one")).as(path).isEqualTo(401);
    }
    for (String path : List.of("/health", "/ready")) {
      assertThat(status(path, null)).as(path).isEqualTo(200);
    }
    for (String path : List.of("/v1/models", "/metrics", "/workers")) {
      assertThat(status(path, "Bearer one")).as(path).isEqualTo(200);
      assertThat(status(path, "Bearer two")).as(path).isEqualTo(200);
    }
    assertThat(given.workers.getFirst().begun.get()).isZero();
  }

  @Test
  void shouldTakeNoBlankKey() {
    assertThatThrownBy(() -> ApiKeys.of("  "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a key must not be blank");
  }

  private int status(String path, String authorization) throws IOException, InterruptedException {
    final var request = given.request(path);
    if (authorization != null) {
      request.header("Authorization", authorization);
    }
    return given.send(request.build()).statusCode();
  }

  // ---- browsers

  @ParameterizedTest
  @CsvSource({
    "localhost:8000,200",
    "127.0.0.1:8000,200",
    "[::1]:8000,200",
    "models.example.org:443,200",
    "evil.example,403",
    "127.0.0.1.evil.example,403"
  })
  void shouldAnswerUnderNamesOfItsOwnOnly(String host, int status) throws IOException {
    start(usual -> usual.withHosts(List.of("Models.example.org")));

    for (String path : new String[] {"/health", "/v1/models"}) {
      try (RawClient raw = given.raw()) {
        raw.send("GET " + path + " HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
        assertThat(raw.readAll()).as(path).startsWith("HTTP/1.1 " + status + " ");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Content-Type: text/plain | 415",
        "Content-Type: application/x-www-form-urlencoded | 415",
        "Content-Type: text/plain; application/json | 415",
        "Content-Type: multipart/form-data; boundary=a~Origin: https://evil.example | 415",
        "Origin: https://evil.example | 415",
        "Content-Type: multipart/form-data; boundary=a | 200",
        "Content-Type: Application/JSON; charset=utf-8 | 200",
        "X-Nothing: 1 | 200"
      })
  void shouldTakeNoBodyThatAPageMaySendWithoutAsking(String headers, int status)
      throws IOException {
    start(usual -> usual);

    try (RawClient raw = given.raw()) {
      raw.send(
          RawClient.post(PATH, SMALL)
              .replace("Content-Type: application/json", headers.replace("~", "\r\n"))
              .replace("Host:", "Connection: close\r\nHost:"));
      assertThat(raw.readAll()).startsWith("HTTP/1.1 " + status + " ");
    }
  }

  private void assertRefused(int status, String request) throws IOException {
    try (RawClient raw = given.raw().send(request)) {
      assertThat(raw.readAll()).startsWith("HTTP/1.1 " + status + " ");
    }
  }

  private void assertHealthy() throws IOException, InterruptedException {
    assertThat(given.send(given.completion(SMALL)).statusCode()).isEqualTo(200);
  }
}
