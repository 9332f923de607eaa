package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.EngineTimes;
import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a router in front of the server asks and orders. */
@Timeout(60)
class WorkerRoutesTest {

  private static final String KV_EVENTS = "{\"endpoint\":\"tcp://*:5557\"}";
  private static final String TEXT = "y".repeat(900);

  private TextExecutor executor;
  private Served served;

  @BeforeEach
  void serve() {
    executor = new TextExecutor(TEXT, 200);
    final EngineTimes times = new EngineTimes();
    final Served.Setup setup = new Served.Setup().probe(times);
    setup.options =
        usual ->
            usual
                .withEngineTimes(times, false)
                .withWorker(new WorkerInfo("/models/m", 16, 256, 16, KV_EVENTS));
    served = setup.start(executor);
  }

  @AfterEach
  void close() {
    executor.letAll(); // what is held would not end
    served.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/server_info", "/get_server_info"})
  void shouldSayWhatItIs(String path) {
    final JsonNode info = read(path);

    assertThat(info.path("served_model_name").asString()).isEqualTo(Served.MODEL);
    assertThat(info.path("model_path").asString()).isEqualTo("/models/m");
    assertThat(info.path("max_running_requests").asInt()).isEqualTo(16);
    assertThat(info.path("max_prefill_tokens").asInt()).isEqualTo(256);
    assertThat(info.path("max_total_num_tokens").asInt()).isEqualTo(199 * 16);
    assertThat(info.path("dp_size").asInt()).isEqualTo(1);
    assertThat(info.path("kv_events_config").stringValue()).isEqualTo(KV_EVENTS);
    assertThat(read("/model_info").path("is_generation").asBoolean()).isTrue();
  }

  @Test
  void shouldSayHowLoadedItIs() {
    executor.hold();
    try (var _ = stream("/v1/completions", "{\"prompt\":\"" + "x".repeat(40) + "\"", 1);
        var _ = stream("/v1/completions", "{\"prompt\":\"" + "x".repeat(30) + "\"", 0)) {
      final JsonNode rank = read("/v1/loads").path("loads").path(0);

      assertThat(rank.path("num_running_reqs").asInt()).isEqualTo(1);
      assertThat(rank.path("num_used_tokens").asInt()).isEqualTo(48);
      assertThat(rank.path("num_total_tokens").asInt()).as("30 wait").isEqualTo(48 + 30);
      assertThat(read("/get_load").path(0).path("num_tokens").asInt()).isEqualTo(48 + 30);
    }
  }

  @Test
  void shouldCountTheAnswersUnderWay() {
    executor.hold();
    assertThat(read("/load").toString()).isEqualTo("{\"server_load\":0}");
    try (var _ = stream("/v1/completions", "{\"prompt\":\"x\"", 1)) {
      assertThat(read("/load").toString()).isEqualTo("{\"server_load\":1}");
    }
    Watch.until("it has ended", () -> read("/load").path("server_load").asInt() == 0);
  }

  @Test
  void shouldSayThatItIsThereToThoseWithoutAKey() {
    try (Served guarded = guarded()) {
      assertThat(guarded.get("/ping").statusCode()).isEqualTo(200);
      assertThat(guarded.post("/ping", "").body()).isEqualTo("{\"status\":\"ok\"}");
      assertThat(guarded.post("/health", "").statusCode()).isEqualTo(405);
      assertThat(guarded.get("/load").statusCode()).isEqualTo(401);
      assertThat(guarded.get("/version").statusCode()).isEqualTo(401);
    }
    assertThat(read("/version").path("version").asString()).isNotEmpty();
  }

  private static Served guarded() {
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withApiKey("secret");
    return setup.start(new TextExecutor(TEXT, 200));
  }

  @Test
  void shouldMakeATokenToSeeWhetherItCan() {
    assertThat(read("/health_generate").path("status").asString()).isEqualTo("ok");
    assertThat(served.engine.stats().finished()).isEqualTo(1);
  }

  @Test
  void shouldForgetItsCache() {
    served.answer("/v1/completions", "{\"prompt\":\"" + "x".repeat(64) + "\"}");
    final JsonNode reset = served.answer("/flush_cache", "");

    assertThat(reset.path("success").asBoolean()).isTrue();
    final JsonNode again =
        served.answer("/generate", "{\"text\":\"" + "x".repeat(64) + "\",\"sampling_params\":{}}");
    assertThat(again.path("meta_info").path("cached_tokens").asInt()).isZero();
  }

  /** The engine resets between steps, of which there must be some until it has. */
  @Test
  void shouldRefuseToForgetWhatIsInUse() {
    executor.hold();
    try (var _ = stream("/v1/completions", "{\"prompt\":\"x\",\"max_tokens\":900", 1)) {
      final CompletableFuture<HttpResponse<String>> refused =
          CompletableFuture.supplyAsync(() -> served.post("/reset_prefix_cache", ""));
      while (!refused.isDone()) {
        final long steps = served.engine.stats().steps();
        executor.let(1);
        while (!refused.isDone() && served.engine.stats().steps() == steps) {
          Thread.onSpinWait();
        }
      }

      assertThat(refused.join().statusCode()).isEqualTo(400);
      assertThat(refused.join().body()).contains("requests hold blocks of it");
    }
  }

  @Test
  void shouldAnswerInSglangsForm() {
    final JsonNode answer =
        served.answer(
            "/generate",
            "{\"text\":\"abc\",\"rid\":\"mine\",\"sampling_params\":{\"max_new_tokens\":4}}");

    assertThat(answer.path("text").asString()).isEqualTo("yyyy");
    assertThat(answer.path("output_ids").size()).isEqualTo(4);
    final JsonNode meta = answer.path("meta_info");
    assertThat(meta.path("id").asString()).isEqualTo("mine");
    assertThat(meta.path("prompt_tokens").asInt()).isEqualTo(3);
    assertThat(meta.path("completion_tokens").asInt()).isEqualTo(4);
    assertThat(meta.path("finish_reason").path("type").asString()).isEqualTo("length");
    assertThat(meta.path("timing").path("enqueue_ns").isIntegralNumber()).isTrue();
    assertThat(meta.path("e2e_latency").asDouble()).isPositive();
    assertThat(meta.path("queue_time").asDouble()).isPositive();
    assertThat(meta.path("request_received_ts").asDouble())
        .isBetween(1.7e9, meta.path("request_finished_ts").asDouble());
  }

  @Test
  void shouldStreamTheTextSoFar() {
    final List<JsonNode> events =
        served.events(
            "/generate",
            "{\"input_ids\":[1,2],\"stream\":true,\"sampling_params\":{\"max_new_tokens\":3}}");

    assertThat(events).extracting(e -> e.path("text").asString()).contains("y", "yy", "yyy");
    assertThat(events.getLast().path("text").asString()).isEqualTo("yyy");
    assertThat(events.getLast().path("meta_info").path("finish_reason").path("type").asString())
        .isEqualTo("length");
    assertThat(events.getFirst().path("meta_info").path("finish_reason").isNull()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"sampling_params\":{}}",
        "{\"text\":\"a\",\"input_ids\":[1]}",
        "{\"text\":\"a\",\"sampling_params\":{\"ebnf\":\"root ::= a\"}}",
        "{\"text\":\"a\",\"return_logprob\":true}"
      })
  void shouldRefuseWhatItCannotDo(String body) {
    assertThat(served.post("/generate", body).statusCode()).isEqualTo(400);
  }

  @Test
  void shouldGiveARequestUp() {
    executor.hold();
    try (var _ = stream("/generate", "{\"text\":\"abc\",\"rid\":\"mine\"", 1)) {
      served.answer("/abort_request", "{\"rid\":\"mine\"}");
      executor.letAll();

      Watch.until("it is given up", () -> served.engine.stats().finished() == 1);
      Watch.until("its blocks are free", () -> held() == 0);
    }
  }

  @Test
  void shouldCallARequestWhatTheCallerCallsIt() {
    final HttpResponse<String> answer =
        served.post("/v1/completions", "{\"prompt\":\"x\"}", "x-request-id", "bench-1");

    assertThat(answer.body()).contains("\"id\":\"cmpl-bench-1\"");
    assertThat(answer.headers().firstValue("x-request-id")).contains("bench-1");
    assertThat(
            served
                .post("/v1/completions", "{\"prompt\":\"x\"}", "x-request-id", "no such name")
                .body())
        .doesNotContain("no such");
  }

  private long held() {
    return served.engine.stats().kvCache().heldBlocks();
  }

  private JsonNode read(String path) {
    return Served.json(served.get(path).body());
  }

  /** A stream that goes on; the engine has done so many of its steps. */
  private Stream<String> stream(String path, String body, int steps) {
    final HttpResponse<Stream<String>> response = served.stream(path, body + ",\"stream\":true}");
    if (steps > 0) {
      executor.let(steps);
      Watch.until("it runs", () -> served.engine.stats().running() > 0);
    }
    return response.body();
  }
}
