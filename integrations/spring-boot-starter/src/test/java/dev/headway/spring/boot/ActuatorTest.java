package dev.headway.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.request.Request;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.Until;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an operator sees over HTTP of an application whose engine has one seat. */
class ActuatorTest {

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Application {
    @Bean
    TextExecutor executor() {
      return new TextExecutor("an answer", 256);
    }
  }

  private final HttpClient client = HttpClient.newHttpClient();

  private ConfigurableApplicationContext application;
  private TextExecutor executor;
  private Engine engine;

  @BeforeEach
  void start() {
    application =
        new SpringApplicationBuilder(Application.class)
            .properties(
                "server.port=0",
                "spring.main.banner-mode=off",
                "management.endpoints.web.exposure.include=*",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.probes.enabled=true",
                "headway.limits.max-num-seqs=1",
                "headway.limits.max-model-len=100",
                "headway.stall-threshold=200ms",
                "headway.drain-timeout=5s")
            .run();
    executor = application.getBean(TextExecutor.class);
    engine = application.getBean(Engine.class);
  }

  @AfterEach
  void close() {
    executor.letAll();
    application.close();
  }

  /** One runs, the others wait for its seat. */
  private List<RequestHandle> occupy(String... ids) {
    executor.hold();
    List<RequestHandle> handles = new ArrayList<>();
    for (String id : ids) {
      handles.add(Contexts.submit(engine, id, 20));
    }
    executor.let(2); // the first may have begun before the others came
    Until.holds(() -> engine.stats().waiting() == ids.length - 1);
    return handles;
  }

  @Test
  void shouldSayWhatWaitsNowAndWhy() throws Exception {
    // given
    occupy("runs", "first", "second");

    // when
    JsonNode answer = json("/actuator/headway", 200, body -> body.path("waiting").asInt() == 2);

    // then
    assertThat(answer.path("running").asInt()).isEqualTo(1);
    assertThat(answer.path("waitingFor").path(0).path("reason").asString())
        .isEqualTo("max_num_seqs");
    assertThat(answer.path("waitingFor").path(0).path("requests").asInt()).isEqualTo(2);
    JsonNode first = answer.path("first").path(0);
    assertThat(first.path("id").asString()).isEqualTo("first");
    assertThat(first.path("reason").asString()).isEqualTo("max_num_seqs");
    assertThat(first.path("meaning").asString()).isEqualTo("all seats were taken (maxNumSeqs=1)");
    assertThat(first.path("inQueueNs").asLong()).isPositive();
    assertThat(answer.path("droppedRecords").asInt()).isZero();
  }

  @Test
  void shouldSayWhyARequestWaits() throws Exception {
    // given
    List<RequestHandle> handles = occupy("runs", "asked");

    // when
    JsonNode waiting =
        json(
            "/actuator/headway/asked",
            200,
            body -> body.path("phase").asString().equals("waiting"));
    executor.letAll();
    Contexts.end(handles.getLast());
    JsonNode ended =
        json("/actuator/headway/asked", 200, body -> body.path("phase").asString().equals("ended"));

    // then
    assertThat(waiting.path("waitsFor").asString()).isEqualTo("max_num_seqs");
    assertThat(waiting.path("meaning").asString()).isEqualTo("all seats were taken (maxNumSeqs=1)");
    assertThat(waiting.path("seatsHeldBy").path(0).asString()).isEqualTo("runs");
    assertThat(ended.path("seatsHeldBy").isNull()).isTrue();
    assertThat(ended.path("finishReason").asString()).isEqualTo("length");
    assertThat(ended.path("outputTokens").asInt()).isEqualTo(20);
    assertThat(ended.path("waits").findValuesAsString("root")).contains("max_num_seqs");
    assertThat(ended.path("explanation").toString())
        .contains("max_num_seqs (all seats were taken)")
        .contains("ended after");
  }

  @Test
  void shouldSayWhyARequestWasRefused() throws Exception {
    // given
    engine.submit(Request.builder("long", new int[101]).maxTokens(1).build());

    // when
    JsonNode refused = json("/actuator/headway/long", 200, body -> true);

    // then
    assertThat(refused.path("phase").asString()).isEqualTo("rejected");
    assertThat(refused.path("finishReason").asString()).isEqualTo("context_length_limit");
    assertThat(refused.path("explanation").path(0).asString()).contains("maxModelLen");
  }

  @Test
  void shouldSayThatARequestIsNotKnown() throws Exception {
    assertThat(json("/actuator/headway/never", 404, body -> true).path("message").asString())
        .isEqualTo(
            "no request of that id is alive, or is among the latest that have ended or were"
                + " refused, of which headway.endpoint.kept are known: id=never");
  }

  @Test
  void shouldBeDownWhileTheEngineStalls() throws Exception {
    // given
    JsonNode well =
        json(
            "/actuator/health", 200, body -> engineIn(body).path("status").asString().equals("UP"));
    executor.hold();
    RequestHandle held = Contexts.submit(engine, "held", 3);

    // when
    JsonNode stalled =
        json(
            "/actuator/health",
            503,
            body -> engineIn(body).path("status").asString().equals("DOWN"));
    json("/actuator/health/readiness", 503, body -> true);
    executor.letAll();

    // then
    assertThat(engineIn(well).path("details").path("state").asString()).isEqualTo("RUNNING");
    assertThat(engineIn(stalled).path("details").path("status").asString()).isEqualTo("STALLED");
    assertThat(engineIn(stalled).path("details").path("heldBy").asString())
        .contains("TextExecutor");
    json("/actuator/health/readiness", 200, body -> true);
    assertThat(Contexts.end(held).outputTokens()).isEqualTo(3);
  }

  @Test
  void shouldBindTheFiguresToTheRegistryOfTheApplication() throws Exception {
    // given
    Contexts.end(Contexts.submit(engine, "one", 3));

    // then
    JsonNode finished =
        json(
            "/actuator/metrics/headway.requests.finished?tag=reason:length",
            200,
            body -> body.path("measurements").path(0).path("value").asDouble() == 1);
    assertThat(finished.path("description").asString()).isEqualTo("Requests that ended.");
    assertThat(json("/actuator/metrics", 200, body -> true).path("names").toString())
        .contains(
            "\"headway.requests.running\"",
            "\"headway.requests.waiting\"",
            "\"headway.requests.waited\"",
            "\"headway.kv.usage\"",
            "\"headway.tokens\"",
            "\"headway.requests.time.to.first.token\"",
            "\"headway.requests.queue.time\"");
  }

  private static JsonNode engineIn(JsonNode health) {
    return health.path("components").path("headway");
  }

  /** Asks until the answer is as wanted. */
  private JsonNode json(String path, int status, Predicate<JsonNode> wanted)
      throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://localhost:"
                + application.getEnvironment().getProperty("local.server.port")
                + path);
    long untilNs = System.nanoTime() + 20_000_000_000L;
    while (true) {
      HttpResponse<String> answer =
          client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
      if (answer.statusCode() == status) {
        JsonNode body = JsonMapper.shared().readTree(answer.body());
        if (wanted.test(body)) {
          return body;
        }
      }
      assertThat(System.nanoTime() - untilNs)
          .as("%s: the last answer is %s %s", path, answer.statusCode(), answer.body())
          .isNegative();
    }
  }
}
