package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.TextExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * What the field's clients count in a stream: the first chunk is the first token, the last token's
 * chunk has the finish reason, and there are as many chunks as tokens.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StreamCountsTest {

  private static final String TEXT = "plain text of many tokens";

  /** Longer than a server may look at a client that waits. */
  private static final long WAITS_MS = 1_300;

  private static final String NOT_ASCII = "é\uD83D\uDE00 ok";

  private Served served;

  private static final String USAGE = ",\"stream_options\":{\"include_usage\":true}";

  /**
   * Which events of a stream a client takes for tokens: the first makes the time to the first
   * token, each further one an interval. Read in their sources of autumn 2026.
   */
  private enum Client {
    /**
     * {@code vllm/benchmarks/lib/endpoint_request_func.py}: {@code if choices :=
     * data.get("choices")}, whatever they hold; {@code elif usage := data.get("usage")}.
     */
    VLLM(USAGE, USAGE) {
      @Override
      boolean isToken(JsonNode event) {
        return !event.path("choices").isEmpty();
      }
    },
    /**
     * {@code sglang/benchmark/serving.py}: {@code if data["choices"][0]["text"]}, which fails where
     * there are no choices; or the delta's reasoning and content. It asks for no usage.
     */
    SGLANG("", "") {
      @Override
      boolean isToken(JsonNode event) {
        return !(reasoning(event) + text(event)).isEmpty();
      }
    },
    /**
     * {@code genai-perf}, its {@code LLMProfileDataParser}: responses without content are dropped,
     * and one without choices is an error. It asks for no usage.
     */
    GENAI_PERF("", "") {
      @Override
      boolean isToken(JsonNode event) {
        return !text(event).isEmpty();
      }
    },
    /**
     * {@code aiperf}, its {@code content_responses}: those with text, reasoning or tool calls. It
     * asks for the usage of a chat.
     */
    AIPERF("", USAGE) {
      @Override
      boolean isToken(JsonNode event) {
        return !(reasoning(event) + text(event)).isEmpty()
            || !event.path("choices").path(0).path("delta").path("tool_calls").isEmpty();
      }
    };

    private final String completions;
    private final String chat;

    Client(String completions, String chat) {
      this.completions = completions;
      this.chat = chat;
    }

    abstract boolean isToken(JsonNode event);

    /** What its bodies have beside the prompt and the length. */
    String asks(Endpoint endpoint) {
      return endpoint == Endpoint.CHAT ? chat : completions;
    }

    List<JsonNode> tokens(List<JsonNode> events) {
      return events.stream().filter(this::isToken).toList();
    }
  }

  /** The two endpoints, each with a body that asks for so many tokens. */
  private enum Endpoint {
    COMPLETIONS("/v1/completions", "text_completion", "\"prompt\":\"x\""),
    CHAT(
        "/v1/chat/completions",
        "chat.completion.chunk",
        "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]");

    private final String path;
    private final String object;
    private final String prompt;

    Endpoint(String path, String object, String prompt) {
      this.path = path;
      this.object = object;
      this.prompt = prompt;
    }

    List<JsonNode> events(Served served, int maxTokens, String more) {
      return served.events(path, body(maxTokens, more));
    }

    String body(int maxTokens, String more) {
      return "{%s,\"max_tokens\":%d,\"stream\":true%s}".formatted(prompt, maxTokens, more);
    }
  }

  @AfterEach
  void close() {
    served.close();
  }

  private static String text(JsonNode event) {
    final JsonNode choice = event.path("choices").path(0);
    return choice.path("text").asString(choice.path("delta").path("content").asString(""));
  }

  private static String reasoning(JsonNode event) {
    final JsonNode delta = event.path("choices").path(0).path("delta");
    return delta.path("reasoning_content").asString(delta.path("reasoning").asString(""));
  }

  private static String finish(JsonNode event) {
    return event.path("choices").path(0).path("finish_reason").asString("");
  }

  private static int usage(List<JsonNode> events) {
    return events.getLast().path("usage").path("completion_tokens").asInt();
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeCountedRightByEveryClient(Client client) {
    served = Served.of(new TextExecutor(TEXT, 200));

    for (Endpoint endpoint : Endpoint.values()) {
      for (int maxTokens : List.of(1, 3, 9)) {
        final String asks = client.asks(endpoint);
        final List<JsonNode> events = endpoint.events(served, maxTokens, asks);
        final List<JsonNode> tokens = client.tokens(events);

        assertThat(tokens).as("%s %d", endpoint, maxTokens).hasSize(maxTokens);
        assertThat(events.subList(0, maxTokens)).as("first chunks").isEqualTo(tokens);
        assertThat(events)
            .extracting(event -> event.path("object").asString())
            .containsOnly(endpoint.object);
        assertThat(text(tokens.getFirst())).isEqualTo("p");
        assertThat(finish(tokens.getLast())).isEqualTo("length");
        assertThat(events).as("and no more").hasSize(maxTokens + (asks.isEmpty() ? 0 : 1));
        if (!asks.isEmpty()) { // vLLM's takes the usage of an event without choices only
          assertThat(events.getLast().path("choices").isEmpty()).isTrue();
          assertThat(usage(events)).isEqualTo(maxTokens);
        }
      }
    }
  }

  /** The clients of vLLM and SGLang lose tokens, or fail, at a comment that comes by itself. */
  @ParameterizedTest
  @EnumSource
  void shouldSendNoCommentWhileAClientWaits(Endpoint endpoint) throws InterruptedException {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    served = Served.of(executor);

    final var response = served.stream(endpoint.path, endpoint.body(3, USAGE));
    Thread.sleep(WAITS_MS); // of nothing, no test can be notified
    executor.letAll();

    assertThat(response.body()).allMatch(line -> line.isEmpty() || line.startsWith("data: "));
  }

  /** Proxies that end silent streams want one. */
  @Test
  void shouldSendCommentsIfAskedTo() {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    final Served.Setup setup = new Served.Setup();
    setup.options = usual -> usual.withKeepAlive(Duration.ofMillis(10));
    served = setup.start(executor);

    final var response = served.stream(Endpoint.CHAT.path, Endpoint.CHAT.body(3, USAGE));
    final String first = response.body().findFirst().orElseThrow();
    executor.letAll();

    assertThat(first).isEqualTo(": waiting");
  }

  /** {@code aiperf --per-chunk-usage}, and a later client of vLLM. */
  @ParameterizedTest
  @EnumSource
  void shouldSendTheUsageSoFarWithEveryToken(Endpoint endpoint) {
    served = Served.of(new TextExecutor(TEXT, 200));

    final List<JsonNode> events =
        endpoint.events(
            served,
            3,
            ",\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}");

    assertThat(events)
        .extracting(event -> event.path("usage").path("completion_tokens").asInt())
        .containsExactly(1, 2, 3, 3);
    assertThat(events)
        .extracting(event -> event.path("usage").path("prompt_tokens").asInt())
        .doesNotContain(0);
  }

  /** A token that is a part of a character, and the end of the sequence, are tokens too. */
  @ParameterizedTest
  @EnumSource
  void shouldSendAChunkForEveryToken(Endpoint endpoint) {
    served = Served.of(new TextExecutor(NOT_ASCII, 200));

    final List<JsonNode> events = endpoint.events(served, 99, USAGE);
    final List<JsonNode> tokens = Client.VLLM.tokens(events);

    assertThat(tokens).hasSize(usage(events)).hasSize(utf8(NOT_ASCII) + 1);
    assertThat(tokens.stream().map(StreamCountsTest::text).reduce("", String::concat))
        .isEqualTo(NOT_ASCII);
    assertThat(finish(tokens.getLast())).isEqualTo("stop");
    assertThat(text(tokens.getLast())).isEmpty();
    assertThat(tokens.subList(0, tokens.size() - 1)).allMatch(event -> finish(event).isEmpty());
  }

  @Test
  void shouldSendTheRoleWithTheFirstTokenOfEachChoice() {
    served = Served.of(new TextExecutor(TEXT, 200));

    final List<JsonNode> events = Endpoint.CHAT.events(served, 4, USAGE + ",\"n\":3");

    for (int index = 0; index < 3; index++) {
      final List<JsonNode> own = new ArrayList<>();
      for (JsonNode event : events) {
        final JsonNode choice = event.path("choices").path(0);
        if (choice.path("index").asInt(-1) == index) {
          own.add(choice);
        }
      }
      assertThat(own).hasSize(4);
      assertThat(own.getFirst().path("delta").path("role").asString()).isEqualTo("assistant");
      assertThat(own.getFirst().path("delta").path("content").asString()).isEqualTo("p");
      assertThat(own.subList(1, 4)).noneMatch(choice -> choice.path("delta").has("role"));
      assertThat(own.getLast().path("finish_reason").asString()).isEqualTo("length");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {",\"logprobs\":true,\"top_logprobs\":1"})
  void shouldSendTheLogprobsOfATokenWithItsChunk(String more) {
    served = Served.of(new TextExecutor(NOT_ASCII, 200));

    final List<JsonNode> tokens = Client.VLLM.tokens(Endpoint.CHAT.events(served, 3, more));

    assertThat(tokens)
        .hasSize(3)
        .allMatch(
            event -> event.path("choices").path(0).path("logprobs").path("content").size() == 1);
  }

  /** The chunk that has the first token does not come before it is computed. */
  @Test
  void shouldSendNothingBeforeTheFirstToken() {
    final TextExecutor executor = new TextExecutor(TEXT, 200).hold();
    served = Served.of(executor);

    final var response = served.stream(Endpoint.CHAT.path, Endpoint.CHAT.body(2, ""));
    executor.let(1);
    final Stream<String> lines = response.body().filter(line -> line.startsWith("data: "));
    final JsonNode first = Served.json(lines.findFirst().orElseThrow().substring(6));

    assertThat(text(first)).isEqualTo("p");
    executor.letAll();
  }

  /** A stop string is held back while it may be one; its tokens are counted all the same. */
  @ParameterizedTest
  @EnumSource
  void shouldEndWithTheTokenOfTheStopString(Endpoint endpoint) {
    served = Served.of(new TextExecutor(TEXT, 200));

    final List<JsonNode> events = endpoint.events(served, 20, USAGE + ",\"stop\":\" text\"");
    final List<JsonNode> tokens = Client.VLLM.tokens(events);

    assertThat(tokens).hasSize("plain text".length()).hasSize(usage(events));
    assertThat(tokens.stream().map(StreamCountsTest::text).reduce("", String::concat))
        .isEqualTo("plain");
    assertThat(finish(tokens.getLast())).isEqualTo("stop");
  }

  /**
   * {@code sglang/benchmark/serving.py}: chunks whose completion tokens have not grown are skipped.
   */
  @Test
  void shouldEndAnAnswerOfGenerateWithItsLastToken() {
    served = Served.of(new TextExecutor(TEXT, 200));

    final List<JsonNode> events =
        served.events(
            "/generate",
            "{\"text\":\"x\",\"sampling_params\":{\"temperature\":0.0,\"max_new_tokens\":4,"
                + "\"ignore_eos\":true},\"stream\":true,\"lora_path\":null,\"return_logprob\":false,"
                + "\"return_routed_experts\":false,\"logprob_start_len\":-1}");

    assertThat(events).hasSize(4);
    assertThat(events)
        .extracting(event -> event.path("meta_info").path("completion_tokens").asInt())
        .containsExactly(1, 2, 3, 4);
    assertThat(events.getLast().path("meta_info").path("finish_reason").path("type").asString())
        .isEqualTo("length");
    assertThat(events.getLast().path("text").asString()).isEqualTo("plai");
  }

  private static int utf8(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
  }

  @ParameterizedTest
  @ValueSource(strings = {"server", "request"})
  void shouldSendSoManyTokensInAPartTheFirstAtOnceAndTheLastAtTheEnd(String who) {
    final Served.Setup setup = new Served.Setup();
    final boolean byServer = who.equals("server");
    setup.options = usual -> usual.withStreamInterval(byServer ? 4 : 7);
    served = setup.start(new TextExecutor("abcdefghij", 65));

    final List<String> parts =
        served
            .events(
                "/v1/completions",
                "{\"prompt\":\"x\",\"max_tokens\":10,\"stream\":true"
                    + (byServer ? "}" : ",\"stream_interval\":4}"))
            .stream()
            .map(event -> event.path("choices").path(0).path("text").asString())
            .toList();

    assertThat(parts).containsExactly("a", "bcde", "fghi", "j");
  }
}
