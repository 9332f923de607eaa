package dev.headway.serving.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class RequiredCallsTest {

  private static CallText read(ToolUse.Mode mode, String answer) {
    final CallText calls = new ToolUse(mode, "", true).begin();
    for (int i = 0; i < answer.length(); i++) {
      calls.push(answer.substring(i, i + 1));
    }
    calls.finish();
    return calls;
  }

  @Test
  void shouldTellCallsFromAnObjectByTheFirstCharacter() {
    final String calls =
        "[{\"name\": \"a\", \"parameters\": {\"x\": \"]}\"}}, {\"name\": \"b\", \"parameters\": {}}]";
    final String object = "{\"list\": [{\"name\": \"a\", \"parameters\": {}}]}";

    final CallText both = read(ToolUse.Mode.CALLS_OR_JSON, calls);
    final CallText text = read(ToolUse.Mode.CALLS_OR_JSON, object);

    assertThat(both.calls()).extracting(CallText.Call::name).containsExactly("a", "b");
    assertThat(both.calls())
        .extracting(CallText.Call::arguments)
        .containsExactly("{\"x\": \"]}\"}", "{}");
    assertThat(both.takeContent()).isEmpty();
    assertThat(text.calls()).isEmpty();
    assertThat(text.takeContent()).isEqualTo(object);
  }

  @Test
  void shouldRefuseAnAnswerThatCouldBeTakenForCalls() {
    final ArrayNode tools = JsonMapper.shared().createArrayNode();
    final ObjectNode array = JsonMapper.shared().createObjectNode().put("type", "array");

    assertThatThrownBy(() -> CallSchemas.anyOfOr(tools, true, array))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "an answer beside calls must be of type object, to be distinguished from them: type=\"array\"");
  }
}
