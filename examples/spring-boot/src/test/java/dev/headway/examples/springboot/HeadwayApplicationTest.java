package dev.headway.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** The application over HTTP, under the versions that Boot manages. */
@SpringBootTest(
    webEnvironment = WebEnvironment.RANDOM_PORT,
    properties = {
      "headway.stall-threshold=200ms",
      // Boot switches the export of metrics off in tests: by either name
      "spring.test.observability.auto-configure=true",
      "spring.test.metrics.export=true"
    })
class HeadwayApplicationTest {

  @TestConfiguration
  static class HeldModel {
    @Bean
    @Primary
    HeldExecutor heldExecutor() {
      return new HeldExecutor(new AlphabetExecutor());
    }
  }

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient client = HttpClient.newHttpClient();

  @Value("${local.server.port}")
  private int port;

  @Autowired private HeldExecutor held;

  @AfterEach
  void release() {
    held.release();
  }

  @Test
  void shouldStreamTheAnswerOfAPrompt() throws Exception {
    // when
    HttpResponse<String> answer = ask("{\"prompt\": \"hello\", \"maxTokens\": 3}");

    // then
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("content-type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
    assertThat(answer.body()).isEqualTo("data: a\n\ndata: b\n\ndata: c\n\n");
  }

  @Test
  void shouldSayWhyAPromptIsRefused() throws Exception {
    // given a prompt longer than the KV cache
    String prompt = "x".repeat(20_000);

    // when
    HttpResponse<String> answer = ask("{\"prompt\": \"" + prompt + "\", \"maxTokens\": 3}");

    // then
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("20000");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"prompt\": \"hello\", \"maxTokens\": 0} | maxTokens",
        "{\"maxTokens\": 3}                      | prompt"
      })
  void shouldNameTheFieldThatIsWrong(String body, String field) throws Exception {
    // when
    HttpResponse<String> answer = ask(body);

    // then
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains(field);
  }

  @Test
  void shouldServeTheFiguresOfTheEngine() throws Exception {
    // given
    ask("{\"prompt\": \"hello\", \"maxTokens\": 3}");

    // then
    String scrape =
        eventually("/actuator/prometheus", body -> body.contains("headway_requests_finished"));
    assertThat(scrape)
        .contains("headway_requests_running", "headway_tokens_total")
        .contains("headway_requests_time_to_first_token_seconds_count");
  }

  @Test
  void shouldNotBeReadyWhileTheModelStandsStill() throws Exception {
    // given
    eventually("/actuator/health/readiness", body -> body.contains("\"UP\""));
    held.hold();

    // when
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            question("{\"prompt\": \"hello\", \"maxTokens\": 3}"), BodyHandlers.ofString());
    eventually("/actuator/health/readiness", body -> body.contains("OUT_OF_SERVICE"));
    held.release();

    // then
    eventually("/actuator/health/readiness", body -> body.contains("\"UP\""));
    assertThat(answer.get(20, TimeUnit.SECONDS).body()).startsWith("data: a");
  }

  @Test
  void shouldSayWhatHappenedToARequest() throws Exception {
    // given
    HttpResponse<String> answer = ask("{\"prompt\": \"hello\", \"maxTokens\": 3}");
    String id = answer.headers().firstValue("x-request-id").orElseThrow();

    // then
    assertThat(eventually("/actuator/headway/" + id, body -> body.contains("\"phase\":\"ended\"")))
        .contains("\"outputTokens\":3", "\"explanation\":[");
    eventually("/actuator/headway", body -> body.contains("\"waiting\":0"));
  }

  private HttpResponse<String> ask(String body) throws IOException, InterruptedException {
    return client.send(question(body), BodyHandlers.ofString());
  }

  private HttpRequest question(String body) {
    return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/generate"))
        .header("content-type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** Asks until the answer is as wanted; the last answer if it never is. */
  private String eventually(String path, Predicate<String> wanted)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://localhost:" + port + path);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    String body;
    do {
      body = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
    } while (!wanted.test(body) && System.nanoTime() < deadline);
    assertThat(body).as(path + " after " + PATIENCE).matches(wanted);
    return body;
  }
}
