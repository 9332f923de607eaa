package dev.headway.server;

import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatMessage.ToolCall;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * The field {@code messages}, in the shapes that OpenAI's clients and agents send: text or parts of
 * text, no content beside {@code tool_calls}, answers of tools. Stateless; any thread.
 */
final class MessageReader {

  private static final String CONTENT =
      "a string or an array of parts such as {\"type\": \"text\", \"text\": \"...\"}";
  private static final List<String> ROLES =
      List.of("system", "developer", "user", "assistant", "tool");

  private final Fields fields;
  private final String path;
  private final JsonNode message;

  private MessageReader(Fields fields, int index, JsonNode message) {
    this.fields = fields;
    this.path = "messages[" + index + "].";
    this.message = message;
  }

  /**
   * Reads a message.
   *
   * @throws ApiException naming the field that is wrong
   */
  static ChatMessage read(Fields fields, int index, JsonNode message) {
    return new MessageReader(fields, index, message).message();
  }

  private ChatMessage message() {
    final String role = message.path("role").asString("");
    if (!ROLES.contains(role)) {
      throw wrong("role", "one of " + ROLES, message.path("role"));
    }
    final List<ToolCall> calls = toolCalls(role);
    return new ChatMessage(
        role, content(!calls.isEmpty()), calls, text("tool_call_id"), text("name"));
  }

  /** A string, or an array of parts of type text; nothing where the assistant calls tools. */
  private String content(boolean mayBeAbsent) {
    final JsonNode content = message.path("content");
    if (content.isString()) {
      return content.stringValue();
    }
    if (mayBeAbsent && (content.isNull() || content.isMissingNode())) {
      return "";
    }
    final StringBuilder text = new StringBuilder();
    for (JsonNode part : content) {
      if (!part.path("type").asString("").equals("text") || !part.path("text").isString()) {
        throw wrong("content", CONTENT, part);
      }
      text.append(part.path("text").stringValue());
    }
    if (!content.isArray()) {
      throw wrong("content", CONTENT, content);
    }
    return text.toString();
  }

  private List<ToolCall> toolCalls(String role) {
    final JsonNode calls = message.path("tool_calls");
    if (calls.isNull() || calls.isMissingNode()) {
      return List.of();
    }
    if (!calls.isArray() || !role.equals("assistant")) {
      throw wrong("tool_calls", "an array, in a message of the assistant", calls);
    }
    final List<ToolCall> read = new ArrayList<>();
    for (JsonNode call : calls) {
      final JsonNode function = call.path("function");
      if (!function.path("name").isString()) {
        throw wrong("tool_calls", "calls of a function with a name", call);
      }
      read.add(
          new ToolCall(
              call.path("id").asString(""),
              function.path("name").stringValue(),
              arguments(function.path("arguments"))));
    }
    return read;
  }

  /** OpenAI sends JSON in a string; some agents send the object itself, or nothing. */
  private String arguments(JsonNode arguments) {
    if (arguments.isNull() || arguments.isMissingNode()) {
      return "{}";
    }
    if (arguments.isObject()) {
      return arguments.toString();
    }
    if (arguments.isString()) {
      final JsonNode parsed = parsed(arguments.stringValue());
      if (parsed != null && parsed.isObject()) {
        return parsed.toString();
      }
    }
    throw wrong("tool_calls", "calls whose arguments are a JSON object", arguments);
  }

  private static @Nullable JsonNode parsed(String text) {
    if (text.isBlank()) {
      return Json.object();
    }
    try {
      return Json.read(text);
    } catch (JacksonException e) {
      return null;
    }
  }

  private @Nullable String text(String name) {
    final JsonNode value = message.path(name);
    if (value.isNull() || value.isMissingNode()) {
      return null;
    }
    if (!value.isString()) {
      throw wrong(name, "a string", value);
    }
    return value.stringValue();
  }

  private ApiException wrong(String name, String rule, JsonNode value) {
    return fields.wrong(path + name, rule, value);
  }
}
