package dev.headway.spring.ai;

import dev.headway.serving.chat.ChatMessage;
import dev.headway.serving.chat.ChatMessage.ToolCall;
import dev.headway.serving.reply.ReplyException;
import dev.headway.serving.reply.ReplyTools;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.SystemMessage;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.messages.UserMessage;
import org.springframework.ai.content.MediaContent;

/** Messages of Spring AI as chat templates get them. Stateless. */
final class PromptMessages {

  private PromptMessages() {}

  /**
   * Returns the messages.
   *
   * @throws ReplyException if one is more than text
   */
  static List<ChatMessage> of(List<Message> messages) {
    final List<ChatMessage> all = new ArrayList<>();
    for (Message message : messages) {
      add(message, all);
    }
    return all;
  }

  private static void add(Message message, List<ChatMessage> all) {
    if (message instanceof MediaContent content && !content.getMedia().isEmpty()) {
      throw new ReplyException(
          ReplyException.Kind.UNSUPPORTED,
          "media are not supported by Headway, which takes text: type="
              + content.getMedia().getFirst().getMimeType());
    }
    switch (message) {
      case SystemMessage system -> all.add(new ChatMessage("system", text(system.getText())));
      case UserMessage user -> all.add(new ChatMessage("user", text(user.getText())));
      case AssistantMessage assistant ->
          all.add(
              new ChatMessage(
                  "assistant", text(assistant.getText()), calls(assistant), null, null));
      case ToolResponseMessage results -> {
        for (ToolResponseMessage.ToolResponse result : results.getResponses()) {
          all.add(
              new ChatMessage(
                  "tool", result.responseData(), List.of(), result.id(), result.name()));
        }
      }
      default ->
          throw new ReplyException(
              ReplyException.Kind.UNSUPPORTED,
              "a message of type " + message.getMessageType() + " is not supported by Headway");
    }
  }

  private static List<ToolCall> calls(AssistantMessage assistant) {
    return assistant.getToolCalls().stream()
        .map(
            call ->
                new ToolCall(
                    call.id(), call.name(), ReplyTools.arguments(call.name(), call.arguments())))
        .toList();
  }

  private static String text(@Nullable String given) {
    return given == null ? "" : given;
  }
}
