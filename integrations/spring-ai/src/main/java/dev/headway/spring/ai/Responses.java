package dev.headway.spring.ai;

import dev.headway.serving.reply.Reply;
import java.util.List;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatGenerationMetadata;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;

/** Replies as Spring AI has them. Stateless. */
final class Responses {

  private Responses() {}

  /** A whole response. */
  static ChatResponse whole(Reply reply, String model) {
    return last(reply, reply.text(), model);
  }

  /** A part of a stream. */
  static ChatResponse part(String text) {
    return new ChatResponse(List.of(new Generation(new AssistantMessage(text))));
  }

  /** The end of a stream: its calls, and what a whole response says of its request. */
  static ChatResponse end(Reply reply, String model) {
    return last(reply, "", model);
  }

  private static ChatResponse last(Reply reply, String text, String model) {
    final AssistantMessage message =
        AssistantMessage.builder()
            .content(text)
            .toolCalls(
                reply.calls().stream()
                    .map(
                        call ->
                            new AssistantMessage.ToolCall(
                                call.id(), "function", call.name(), call.arguments()))
                    .toList())
            .build();
    final HeadwayChatMetadata own = HeadwayChatMetadata.of(reply);
    return new ChatResponse(
        List.of(
            new Generation(
                message,
                ChatGenerationMetadata.builder().finishReason(finishReason(reply)).build())),
        ChatResponseMetadata.builder()
            .id(reply.id())
            .model(model)
            .usage(usage(reply, own))
            .keyValue(HeadwayChatMetadata.KEY, own)
            .build());
  }

  private static DefaultUsage usage(Reply reply, HeadwayChatMetadata own) {
    return new DefaultUsage(
        reply.promptTokens(),
        reply.outputTokens(),
        reply.promptTokens() + reply.outputTokens(),
        own,
        own.cachedPromptTokens().isPresent() ? (long) own.cachedPromptTokens().getAsInt() : null,
        null);
  }

  /** The words of Spring AI's other models. */
  private static String finishReason(Reply reply) {
    if (reply.isCutOff()) {
      return "LENGTH";
    }
    return reply.calls().isEmpty() ? "STOP" : "TOOL_CALLS";
  }
}
