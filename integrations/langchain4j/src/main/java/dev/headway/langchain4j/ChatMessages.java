package dev.headway.langchain4j;

import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatMessage.ToolCall;
import dev.headway.serving.reply.ReplyTools;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.UnsupportedFeatureException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Messages of LangChain4j as chat templates get them. Stateless. */
final class ChatMessages {

  private ChatMessages() {}

  /**
   * Returns the messages.
   *
   * @throws UnsupportedFeatureException if one is more than text
   */
  static List<ChatMessage> of(List<dev.langchain4j.data.message.ChatMessage> messages) {
    return messages.stream().map(ChatMessages::of).toList();
  }

  private static ChatMessage of(dev.langchain4j.data.message.ChatMessage message) {
    return switch (message) {
      case SystemMessage system -> new ChatMessage("system", system.text());
      case UserMessage user ->
          new ChatMessage("user", text(user.contents()), List.of(), null, user.name());
      case AiMessage ai -> of(ai);
      case ToolExecutionResultMessage result ->
          new ChatMessage(
              "tool", text(result.contents()), List.of(), result.id(), result.toolName());
      default ->
          throw new UnsupportedFeatureException(
              "a message of type " + message.type() + " is not supported by Headway");
    };
  }

  private static ChatMessage of(AiMessage ai) {
    if (!ai.images().isEmpty()) {
      throw notSupported("image");
    }
    final List<ToolCall> calls = new ArrayList<>();
    for (ToolExecutionRequest call : ai.toolExecutionRequests()) {
      final String id = call.id();
      calls.add(
          new ToolCall(
              id == null ? "" : id,
              call.name(),
              ReplyTools.arguments(call.name(), call.arguments())));
    }
    final String text = ai.text();
    return new ChatMessage("assistant", text == null ? "" : text, calls, null, null);
  }

  private static String text(List<Content> contents) {
    final StringBuilder text = new StringBuilder();
    for (Content content : contents) {
      if (!(content instanceof TextContent part)) {
        throw notSupported(content.type().name().toLowerCase(Locale.ROOT));
      }
      text.append(text.isEmpty() ? "" : "\n").append(part.text());
    }
    return text.toString();
  }

  private static UnsupportedFeatureException notSupported(String kind) {
    return new UnsupportedFeatureException(
        "content of type " + kind + " is not supported by Headway, which takes text");
  }
}
