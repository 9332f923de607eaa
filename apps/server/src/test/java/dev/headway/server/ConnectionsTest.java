package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.http.ConnectionLimits;
import dev.headway.http.RawClient;
import dev.headway.serving.TextExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.StreamHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What arrives on sockets: too slowly, too much, malformed, or several requests at once. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConnectionsTest {

  private static final String SMALL = "{\"prompt\":\"x\",\"max_tokens\":2}";
  private static final String GET = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";

  private Served served;

  private void serve(UnaryOperator<ConnectionLimits> limits) {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withConnections(limits.apply(usual.connections()));
    served = setup.start(new TextExecutor("text", 200));
  }

  @AfterEach
  void close() {
    served.close();
  }

  @ParameterizedTest
  @CsvSource({"8,8", "100,8", "8,100"})
  void shouldLetOthersInWhileHalfSentHeadsFillTheTable(int most, int mostPerAddress)
      throws IOException {
    serve(limits -> limits.withConnections(most, mostPerAddress));
    final List<RawClient> halves = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      halves.add(served.raw().send("GET /health HTTP/1.1\r\nHo"));
    }
    Watch.until(
        "all have come, and 8 have a place",
        () -> halves.stream().filter(RawClient::isCut).count() == 42);

    for (int i = 0; i < 10; i++) {
      try (RawClient healthy = served.raw()) {
        healthy.send(GET);
        assertThat(healthy.readUntil("\"ok\"")).startsWith("HTTP/1.1 200 ");
      }
    }

    assertThat(served.server.connections()).isLessThanOrEqualTo(8);
    for (RawClient half : halves) {
      half.close();
    }
    Watch.until("nothing is left", () -> served.server.connections() == 0);
  }

  @Test
  void shouldCutWhatDoesNotArriveInTime() throws IOException {
    serve(limits -> limits.withReadTimeouts(Duration.ofSeconds(1), Duration.ofSeconds(30)));

    try (RawClient silent = served.raw();
        RawClient head = served.raw().send("GET /health HT");
        RawClient body =
            served.raw().send(RawClient.post("/v1/completions", SMALL).substring(0, 110))) {
      assertThat(silent.readAll()).isEmpty();
      assertThat(head.readAll()).isEmpty();
      assertThat(body.readAll()).startsWith("HTTP/1.1 408 ").contains("request_timeout");
    }

    assertHealthy();
  }

  @Test
  void shouldCutABodyThatNeverEnds() throws IOException {
    serve(limits -> limits.withReadTimeouts(Duration.ofSeconds(30), Duration.ofSeconds(1)));

    try (RawClient body =
        served.raw().send(RawClient.post("/v1/completions", SMALL).substring(0, 110))) {
      assertThat(body.readAll()).startsWith("HTTP/1.1 408 ");
    }
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
        "no path           | 400 | GET mailto:a HTTP/1.1~Host: a~~",
        "blank in the name | 400 | GET /health HTTP/1.1~Host : a~~",
        "bad chunk         | 400 | POST /v1/completions HTTP/1.1~Host: localhost~Transfer-Encoding:"
            + " chunked~~zz~~"
      })
  void shouldRefuseWhatIsNoRequest(String name, int status, String request) throws IOException {
    serve(limits -> limits);

    for (int i = 0; i < 2; i++) {
      try (RawClient raw = served.raw().send(request.replace("~", "\r\n"))) {
        assertThat(raw.readAll())
            .as(name)
            .startsWith("HTTP/1.1 " + status + " ")
            .contains("\"error\"")
            .containsIgnoringCase("connection: close");
      }
    }

    assertHealthy();
  }

  @Test
  void shouldRefuseHeadsThatAreTooLong() throws IOException {
    serve(limits -> limits);
    final String begin = "GET /health HTTP/1.1\r\nHost: localhost\r\n";

    assertRefused(431, begin + "X: " + "a".repeat(17_000) + "\r\n\r\n");
    assertRefused(431, begin + "X: a\r\n".repeat(101) + "\r\n");
    assertRefused(414, "GET /" + "a".repeat(9_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");

    assertHealthy();
  }

  private void assertRefused(int status, String request) throws IOException {
    try (RawClient raw = served.raw().send(request)) {
      assertThat(raw.readAll()).startsWith("HTTP/1.1 " + status + " ");
    }
  }

  @Test
  void shouldAnswerRequestsThatComeAtOnceInTheirOrder() throws IOException {
    serve(limits -> limits);
    final String post = RawClient.post("/v1/completions", SMALL);

    try (RawClient raw = served.raw()) {
      raw.send(GET + post + post + GET.replace("health", "nothing"));

      final String answers = raw.readUntil("path=/nothing");
      assertThat(answers.split("HTTP/1\\.1 ", -1)).hasSize(5);
      assertThat(answers.indexOf("\"ok\"")).isLessThan(answers.indexOf("\"te\""));
      raw.send(GET);
      raw.readUntil("\"ok\"");
    }
  }

  /** The rest of a body looks like a folded head. */
  @Test
  void shouldTakeABodyWhoseRestComesAfterTheAnswerToAnEarlierRequest() throws IOException {
    serve(limits -> limits);
    final String post =
        RawClient.post("/v1/completions", "{\n  \"prompt\":\n    \"x\",\"max_tokens\":2\n}");
    final int part = post.indexOf("  \"prompt");

    try (RawClient raw = served.raw().send(GET + post.substring(0, part))) {
      raw.readUntil("\"ok\"");
      raw.send(post.substring(part));
      assertThat(raw.readUntil("\"te\"")).contains(" 200 ");
    }
  }

  @Test
  void shouldAnswerHeadWithoutABody() throws IOException {
    serve(limits -> limits);

    try (RawClient raw = served.raw()) {
      raw.send(GET.replace("GET", "HEAD"));
      assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200 ").contains("length: 15");
      raw.send(GET.replace("GET", "HEAD") + GET);
      assertThat(raw.readUntil("\"ok\"")).startsWith("HTTP/1.1 200 ").contains("\r\n\r\nHTTP/1.1");
    }

    final HttpResponse<String> models = served.send("HEAD", "/v1/models", "Accept", "*/*");
    assertThat(models.statusCode()).isEqualTo(200);
    assertThat(models.body()).isEmpty();
  }

  /** A client could fill the log: whatever comes to standard error, or to the JDK's logging. */
  @Test
  void shouldLogNothingForHead() throws IOException {
    final ByteArrayOutputStream log = new ByteArrayOutputStream();
    final PrintStream standardError = System.err;
    final Handler ofTheJdk = new StreamHandler(log, new SimpleFormatter());
    final Logger root = Logger.getLogger("");
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    root.addHandler(ofTheJdk);
    try {
      serve(limits -> limits);
      for (int i = 0; i < 20; i++) {
        try (RawClient raw = served.raw()) {
          raw.send(GET.replace("GET", "HEAD"));
          assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 200 ");
        }
      }
      Watch.until("all is done", () -> served.server.connections() == 0);
    } finally {
      ofTheJdk.flush();
      root.removeHandler(ofTheJdk);
      System.setErr(standardError);
    }

    assertThat(log.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @Test
  void shouldSayThatItTakesABodyBeforeItIsSent() throws IOException {
    serve(limits -> limits);

    try (RawClient raw = served.raw()) {
      raw.send(
          RawClient.post("/v1/completions", SMALL)
              .replace("\r\n\r\n" + SMALL, "\r\nExpect: 100-continue\r\n\r\n"));
      assertThat(raw.readUntil("\r\n\r\n")).startsWith("HTTP/1.1 100 ");
      raw.send(SMALL);
      assertThat(raw.readUntil("\"te\"")).startsWith("HTTP/1.1 200 ");
    }
  }

  @Test
  void shouldReadChunksAndAnswerAnOldClient() throws IOException {
    serve(limits -> limits);

    try (RawClient raw = served.raw()) {
      raw.send(
          "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "5\r\n"
              + SMALL.substring(0, 5)
              + "\r\n"
              + Integer.toHexString(SMALL.length() - 5)
              + "\r\n"
              + SMALL.substring(5)
              + "\r\n0\r\n\r\n");
      assertThat(raw.readUntil("\"te\"")).startsWith("HTTP/1.1 200 ");
    }
    try (RawClient old = served.raw()) {
      old.send("GET /health HTTP/1.0\r\n\r\n");
      assertThat(old.readAll()).contains(" 200 ", "\"ok\"");
    }
  }

  private void assertHealthy() {
    assertThat(served.post("/v1/completions", SMALL).statusCode()).isEqualTo(200);
  }
}
