package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

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
  private static final String NOT_ASCII = "é\uD83D\uDE00 ok";

  private Served served;

  /**
   * Which events of a stream a client takes for tokens: the first makes the time to the first
   * token, each further one an interval.
   */
  private enum Client {
    /**
     * {@code vllm/benchmarks/lib/endpoint_request_func.py}: {@code if choices :=
     * data.get("choices")}.
     */
    VLLM {
      @Override
      boolean isToken(JsonNode event) {
        return !event.path("choices").isEmpty();
      }
    },
    /**
     * {@code sglang/bench_serving.py}: {@code if data["choices"][0]["text"]}, or the delta's
     * content.
     */
    SGLANG {
      @Override
      boolean isToken(JsonNode event) {
        return !text(event).isEmpty();
      }
    },
    /**
     * {@code genai-perf}, its {@code LLMProfileDataParser}: responses without content are dropped.
     */
    GENAI_PERF {
      @Override
      boolean isToken(JsonNode event) {
        return !text(event).isEmpty();
      }
    };

    abstract boolean isToken(JsonNode event);

    List<JsonNode> tokens(List<JsonNode> events) {
      return events.stream().filter(this::isToken).toList();
    }
  }

  /** The two endpoints, each with a body that asks for so many tokens. */
  private enum Endpoint {
    COMPLETIONS("/v1/completions", "\"prompt\":\"x\""),
    CHAT("/v1/chat/completions", "\"messages\":[{\"role\":\"user\",\"content\":\"x\"}]");

    private final String path;
    private final String prompt;

    Endpoint(String path, String prompt) {
      this.path = path;
      this.prompt = prompt;
    }

    List<JsonNode> events(Served served, int maxTokens, String more) {
      return served.events(path, body(maxTokens, more));
    }

    String body(int maxTokens, String more) {
      return "{%s,\"max_tokens\":%d,\"stream\":true,\"stream_options\":{\"include_usage\":true}%s}"
          .formatted(prompt, maxTokens, more);
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
        final List<JsonNode> events = endpoint.events(served, maxTokens, "");
        final List<JsonNode> tokens = client.tokens(events);

        assertThat(tokens).as("%s %d", endpoint, maxTokens).hasSize(maxTokens);
        assertThat(usage(events)).isEqualTo(maxTokens);
        assertThat(tokens.getFirst()).as("first chunk").isSameAs(events.getFirst());
        assertThat(text(tokens.getFirst())).isEqualTo("p");
        assertThat(finish(tokens.getLast())).isEqualTo("length");
      }
    }
  }

  /** A token that is a part of a character, and the end of the sequence, are tokens too. */
  @ParameterizedTest
  @EnumSource
  void shouldSendAChunkForEveryToken(Endpoint endpoint) {
    served = Served.of(new TextExecutor(NOT_ASCII, 200));

    final List<JsonNode> events = endpoint.events(served, 99, "");
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

    final List<JsonNode> events = Endpoint.CHAT.events(served, 4, ",\"n\":3");

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

    final List<JsonNode> events = endpoint.events(served, 20, ",\"stop\":\" text\"");
    final List<JsonNode> tokens = Client.VLLM.tokens(events);

    assertThat(tokens).hasSize("plain text".length()).hasSize(usage(events));
    assertThat(tokens.stream().map(StreamCountsTest::text).reduce("", String::concat))
        .isEqualTo("plain");
    assertThat(finish(tokens.getLast())).isEqualTo("stop");
  }

  /** {@code sglang/bench_serving.py}: chunks whose completion tokens have not grown are skipped. */
  @Test
  void shouldEndAnAnswerOfGenerateWithItsLastToken() {
    served = Served.of(new TextExecutor(TEXT, 200));

    final List<JsonNode> events =
        served.events(
            "/generate",
            "{\"text\":\"x\",\"stream\":true,\"sampling_params\":{\"max_new_tokens\":4}}");

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
}
