package dev.headway.serving.chat;

import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Functions as Hermes and Qwen describe them to a model, in its system message. Stateless. */
final class ToolPrompt {

  private static final String TEXT =
      """
      # Tools

      You may call one or more functions to assist with the user query.

      You are provided with function signatures within <tools></tools> XML tags:
      <tools>
      TOOLS
      </tools>

      For each function call, return a json object with function name and arguments within \
      <tool_call></tool_call> XML tags:
      <tool_call>
      {"name": <function-name>, "arguments": <args-json-object>}
      </tool_call>""";

  private ToolPrompt() {}

  /** Returns the messages with the functions behind the first, if that is the system's. */
  static List<ChatMessage> before(List<ChatMessage> messages, String tools) {
    final ChatMessage first = messages.getFirst();
    final boolean hasSystem = first.role().equals("system") || first.role().equals("developer");
    final List<ChatMessage> all = new ArrayList<>();
    all.add(
        new ChatMessage(
            hasSystem ? first.role() : "system",
            (hasSystem && !first.content().isEmpty() ? first.content() + "\n\n" : "")
                + text(tools)));
    all.addAll(messages.subList(hasSystem ? 1 : 0, messages.size()));
    return all;
  }

  private static String text(String tools) {
    final StringBuilder lines = new StringBuilder();
    for (JsonNode tool : JsonMapper.shared().readTree(tools)) {
      lines.append(tool).append('\n');
    }
    return TEXT.replace("TOOLS\n", lines);
  }
}
