package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.executor.Executor;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.BuiltInTemplate;
import dev.headway.serving.chat.JinjaTemplate;
import dev.headway.serving.tool.ToolParser;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tools: calls that a client forces, and calls that a model writes of its own accord. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ToolCallsTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String TOOLS =
      "`tools`:[{`type`:`function`,`function`:{`name`:`weather`,`parameters`:{`type`:`object`,"
          + "`properties`:{`city`:{`type`:`string`,`maxLength`:6},`unit`:{`$ref`:`#/$defs/unit`}},"
          + "`required`:[`city`],`$defs`:{`unit`:{`enum`:[`C`,`F`]}}}}},"
          + "{`type`:`function`,`function`:{`name`:`clock`}}]";
  private static final String WRITTEN =
      "Let me look.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Ulm\"}}\n"
          + "</tool_call>\n<tool_call>{\"name\": \"clock\", \"arguments\": {}}</tool_call>";

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  private void random() {
    start(
        ModelSource.builtIn(1, BuiltInTemplate.PLAIN)
            .open(Served.REFERENCE, new SystemNanoClock(), Served.sizes(512)));
  }

  private void start(Executor executor) {
    final Served.Setup setup = new Served.Setup();
    setup.options =
        usual -> usual.withStructure(usual.structure().withToolParser(ToolParser.HERMES));
    served = setup.start(executor);
  }

  private static String body(String fields) {
    return ("{`messages`:[{`role`:`user`,`content`:`?`}],`max_tokens`:300,"
            + TOOLS
            + ","
            + fields
            + "}")
        .replace('`', '"');
  }

  private static void assertCall(JsonNode call) {
    final JsonNode function = call.path("function");
    final JsonNode arguments = Served.json(function.path("arguments").asString());
    assertThat(call.path("id").asString()).matches("call_[0-9a-f]{24}");
    assertThat(call.path("type").asString()).isEqualTo("function");
    switch (function.path("name").asString()) {
      case "weather" -> {
        assertThat(arguments.path("city").stringValue().length()).isLessThanOrEqualTo(12);
        assertThat(arguments.path("unit").asString("C")).isIn("C", "F");
      }
      case "clock" -> assertThat(arguments.size()).isZero();
      default -> throw new AssertionError(call.toString());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void shouldCallWhatIsRequired(int seed) {
    random();

    final JsonNode choice =
        served
            .answer(
                CHAT, body("`tool_choice`:`required`,`parallel_tool_calls`:false,`seed`:" + seed))
            .path("choices")
            .path(0);

    assertThat(choice.path("finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(choice.path("message").path("content").isNull()).isTrue();
    assertThat(choice.path("message").path("tool_calls").size()).isEqualTo(1);
    assertCall(choice.path("message").path("tool_calls").path(0));
  }

  @Test
  void shouldCallTheNamedFunction() {
    random();

    final JsonNode choice =
        served
            .answer(
                CHAT,
                body("`tool_choice`:{`type`:`function`,`function`:{`name`:`weather`}},`seed`:3"))
            .path("choices")
            .path(0);

    assertThat(choice.path("finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(
            choice
                .path("message")
                .path("tool_calls")
                .path(0)
                .path("function")
                .path("name")
                .asString())
        .isEqualTo("weather");
    assertCall(choice.path("message").path("tool_calls").path(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"`required`", "{`type`:`function`,`function`:{`name`:`weather`}}"})
  void shouldStreamTheCallsThatItAnswersWhole(String choice) {
    random();
    for (int seed = 1; seed <= 8; seed++) {
      final String fields = "`tool_choice`:" + choice + ",`seed`:" + seed;
      final JsonNode whole = served.answer(CHAT, body(fields)).path("choices").path(0);

      final Joined joined = new Joined();
      served.events(CHAT, body(fields + ",`stream`:true")).forEach(joined::add);

      final List<String> calls = new ArrayList<>();
      for (JsonNode call : whole.path("message").path("tool_calls")) {
        calls.add(
            call.path("function").path("name").asString()
                + call.path("function").path("arguments").asString());
      }
      assertThat(joined.calls).as("seed=%d", seed).isEqualTo(calls);
      assertThat(joined.reason).isEqualTo(whole.path("finish_reason").asString());
    }
  }

  @Test
  void shouldReadTheCallsThatAModelWrites() {
    start(new TextExecutor(WRITTEN, 200));

    final JsonNode choice = served.answer(CHAT, body("`n`:1")).path("choices").path(0);

    final JsonNode message = choice.path("message");
    assertThat(choice.path("finish_reason").asString()).isEqualTo("tool_calls");
    assertThat(message.path("content").asString()).isEqualTo("Let me look.\n");
    assertThat(message.path("tool_calls").size()).isEqualTo(2);
    message.path("tool_calls").forEach(ToolCallsTest::assertCall);
  }

  @Test
  void shouldStreamTheCallsThatAModelWrites() {
    start(new TextExecutor(WRITTEN, 200));

    final List<JsonNode> events = served.events(CHAT, body("`stream`:true"));

    final Joined joined = new Joined();
    events.forEach(joined::add);
    assertThat(joined.content).hasToString("Let me look.\n");
    assertThat(joined.calls).containsExactly("weather{\"city\":\"Ulm\"}", "clock{}");
    assertThat(joined.reason).isEqualTo("tool_calls");
    assertThat(events.getFirst().path("choices").path(0).path("delta").path("role").asString())
        .isEqualTo("assistant");
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " # ",
      value = {
        "no call at all # no call at all # 0",
        "a < b <tool # a < b <tool # 0",
        "<tool_call>{\"name\": 5}</tool_call> # <tool_call>{\"name\": 5}</tool_call> # 0",
        "<tool_call>{\"name\": \"clock\", \"arguments\": {}} # '' # 1",
        "<tool_call>{\"name\": \"clo # <tool_call>{\"name\": \"clo # 0",
      })
  void shouldTakeForTextWhatIsNoCall(String written, String content, int calls) {
    start(new TextExecutor(written, 200));

    final JsonNode choice = served.answer(CHAT, body("`n`:1")).path("choices").path(0);

    assertThat(choice.path("message").path("tool_calls").size()).isEqualTo(calls);
    assertThat(choice.path("message").path("content").asString("")).isEqualTo(content);
    assertThat(choice.path("finish_reason").asString())
        .isEqualTo(calls > 0 ? "tool_calls" : "stop");
  }

  @Test
  void shouldTakeTheFirstCallOnlyWhereTheyMayNotBeParallel() {
    start(new TextExecutor(WRITTEN, 200));

    final JsonNode message =
        served
            .answer(CHAT, body("`parallel_tool_calls`:false"))
            .path("choices")
            .path(0)
            .path("message");

    assertThat(message.path("tool_calls").size()).isEqualTo(1);
  }

  @Test
  void shouldWriteTextWithoutCallsWhenNoneAreWanted() {
    start(new TextExecutor(WRITTEN, 200));

    final JsonNode choice =
        served.answer(CHAT, body("`tool_choice`:`none`")).path("choices").path(0);

    assertThat(choice.path("message").path("content").asString()).isEqualTo(WRITTEN);
    assertThat(choice.path("message").has("tool_calls")).isFalse();
    assertThat(choice.path("finish_reason").asString()).isEqualTo("stop");
  }

  @Test
  void shouldGiveTheToolsToTheTemplate() throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.chatTemplate =
        JinjaTemplate.of(
            "own",
            "{% for t in tools or [] %}[{{ t.function.name }}]{% endfor %}{{ messages[0].content }}",
            Map.of());
    served = setup.start(new TextExecutor("x", 200));

    final JsonNode answer = served.answer(CHAT, body("`tool_choice`:`none`"));

    assertThat(answer.path("usage").path("prompt_tokens").asInt())
        .isEqualTo("[weather][clock]?".length());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " # ",
      value = {
        "`tool_choice`:`auto` # tool_choice # or the server started with --tool-call-parser",
        "`tool_choice`:`always` # tool_choice # must be none, auto, required or a function",
        "`tool_choice`:{`type`:`function`,`function`:{`name`:`x`}} # tool_choice # with the name of one of tools",
        "`tool_choice`:`required`,`guided_regex`:`a` # tool_choice # must be none beside guided_regex",
      })
  void shouldRefuseAChoiceThatItCannotKeep(String fields, String param, String words) {
    served = Served.of(new TextExecutor("x", 200));

    final var response = served.post(CHAT, body(fields));

    final JsonNode error = Served.json(response.body()).path("error");
    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(error.path("param").asString()).isEqualTo(param);
    assertThat(error.path("message").asString()).contains(words);
  }

  @Test
  void shouldNameTheParametersThatItCannotKeep() {
    random();

    final var response =
        served.post(
            CHAT,
            "{\"messages\":[{\"role\":\"user\",\"content\":\"?\"}],\"tool_choice\":\"required\","
                + "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":"
                + "{\"type\":\"object\",\"properties\":{\"a\":{\"not\":{}}}}}}]}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(Served.json(response.body()).path("error").path("message").asString())
        .isEqualTo(
            "tools cannot be kept at"
                + " #/items/anyOf/0/properties/parameters/properties/a/not: not is not supported:"
                + " not={}");
  }

  /** What a client makes of a stream. */
  private static final class Joined {
    final StringBuilder content = new StringBuilder();
    final List<String> calls = new ArrayList<>();
    String reason;

    void add(JsonNode event) {
      final JsonNode choice = event.path("choices").path(0);
      content.append(choice.path("delta").path("content").asString(""));
      for (JsonNode part : choice.path("delta").path("tool_calls")) {
        final int index = part.path("index").asInt();
        if (part.has("id")) {
          assertThat(index).isEqualTo(calls.size());
          calls.add(part.path("function").path("name").asString());
        }
        calls.set(index, calls.get(index) + part.path("function").path("arguments").asString());
      }
      reason = choice.path("finish_reason").asString(reason);
    }
  }
}
