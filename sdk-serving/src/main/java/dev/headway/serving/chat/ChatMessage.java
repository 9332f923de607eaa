package dev.headway.serving.chat;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message of a conversation. Immutable.
 *
 * @param role {@code system}, {@code developer}, {@code user}, {@code assistant} or {@code tool}
 * @param content its text; empty where the assistant called tools and said nothing
 * @param toolCalls what the assistant asked tools for; empty of every other role
 * @param toolCallId which call a tool's message answers, or null
 * @param name who says it, or null
 */
public record ChatMessage(
    String role,
    String content,
    List<ToolCall> toolCalls,
    @Nullable String toolCallId,
    @Nullable String name) {

  /** Copies the calls. */
  public ChatMessage {
    toolCalls = List.copyOf(toolCalls);
  }

  /** A message of text alone. */
  public ChatMessage(String role, String content) {
    this(role, content, List.of(), null, null);
  }

  /**
   * A call of a function.
   *
   * @param id by which the tool's message names it; empty if it has none
   * @param name the function
   * @param arguments a JSON object
   */
  public record ToolCall(String id, String name, String arguments) {

    private String text() {
      return "<tool_call>\n{\"name\": "
          + JsonMapper.shared().writeValueAsString(name)
          + ", \"arguments\": "
          + arguments
          + "}\n</tool_call>";
    }
  }

  /**
   * The text, and the calls behind it in the form of Hermes and Qwen, one in each line: for layouts
   * that have no form of their own for them.
   */
  String text() {
    final StringBuilder text = new StringBuilder(content);
    for (ToolCall call : toolCalls) {
      text.append(text.isEmpty() ? "" : "\n").append(call.text());
    }
    return text.toString();
  }

  /** Characters of all that a template may print. */
  public long length() {
    long chars = (long) role.length() + content.length();
    for (ToolCall call : toolCalls) {
      chars += call.id.length() + call.name.length() + call.arguments.length();
    }
    return chars + lengthOf(toolCallId) + lengthOf(name);
  }

  private static int lengthOf(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
