package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.serving.TextExecutor;
import dev.headway.serving.chat.JinjaTemplate;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The shapes of messages that agents send: calls of tools, their answers, contents of nothing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentMessagesTest {

  private static final String CHAT = "/v1/chat/completions";
  private static final String LOOP =
      """
      {"max_tokens": 2, "messages": [
        {"role": "developer", "content": ""},
        {"role": "user", "content": [{"type": "text", "text": "What time"}, {"type": "text", "text": " is it?"}]},
        {"role": "assistant", "content": null, "tool_calls": [
          {"id": "c1", "type": "function", "function": {"name": "clock", "arguments": "{\\"zone\\": \\"UTC\\"}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "12:00"}]}
      """;

  private Served served;

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldTakeTheMessagesOfAnAgentsLoop() {
    served = Served.of(new TextExecutor("It is noon", 200));

    final JsonNode answer = served.answer(CHAT, LOOP);

    final String prompt =
        "developer: \nuser: What time is it?\nassistant: <tool_call>\n"
            + "{\"name\": \"clock\", \"arguments\": {\"zone\":\"UTC\"}}\n</tool_call>\n"
            + "tool: 12:00\nassistant:";
    assertThat(answer.path("usage").path("prompt_tokens").asInt()).isEqualTo(prompt.length());
  }

  @Test
  void shouldGiveTheCallsToTheModelsTemplate() throws IOException {
    final Served.Setup setup = new Served.Setup();
    setup.chatTemplate =
        JinjaTemplate.of(
            "own",
            "{% for m in messages %}{% if m.tool_calls %}{% for c in m.tool_calls %}"
                + "[{{ c.id }}:{{ c.function.name }}:{{ c.function.arguments.zone }}]"
                + "{% endfor %}{% elif m.role == 'tool' %}<{{ m.tool_call_id }}={{ m.content }}>"
                + "{% endif %}{% endfor %}",
            Map.of());
    served = setup.start(new TextExecutor("It is noon", 200));

    final JsonNode answer = served.answer(CHAT, LOOP);

    assertThat(answer.path("usage").path("prompt_tokens").asInt())
        .isEqualTo("[c1:clock:UTC]<c1=12:00>".length());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'role':'assistant','content':null} | messages[0].content must be a string or an array",
        "{'role':'user','content':'a','tool_calls':[]} | messages[0].tool_calls must be an array, in",
        "{'role':'assistant','tool_calls':[{'id':'c'}]} | calls of a function with a name",
        "{'role':'assistant','tool_calls':[{'function':{'name':'f','arguments':'{'}}]}"
            + " | calls whose arguments are a JSON object",
      })
  void shouldNameWhatIsNoMessage(String message, String words) {
    served = Served.of(new TextExecutor("x", 200));

    final var response = served.post(CHAT, "{\"messages\":[" + message.replace('\'', '"') + "]}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(Served.json(response.body()).path("error").path("message").asString())
        .contains(words);
  }
}
