package dev.headway.langchain4j;

import dev.headway.serving.ChoiceText;
import dev.headway.serving.tool.CallText;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.Response;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A whole answer. Immutable.
 *
 * @param text all that is no call; empty for none
 * @param calls those that are complete
 */
record ModelAnswer(
    String text, List<ToolExecutionRequest> calls, HeadwayChatResponseMetadata metadata) {

  /** The answer to a chat. */
  ChatResponse chatResponse() {
    return ChatResponse.builder()
        .aiMessage(
            AiMessage.builder()
                .text(text.isEmpty() && !calls.isEmpty() ? null : text)
                .toolExecutionRequests(calls)
                .build())
        .metadata(metadata)
        .build();
  }

  /** The answer to a text; its metadata has that of the request as {@code headway}. */
  Response<String> response() {
    return Response.from(
        text, metadata.tokenUsage(), metadata.finishReason(), Map.of("headway", metadata));
  }

  /** The calls of an answer that are complete: one that is cut off may lack the end of its last. */
  static List<ToolExecutionRequest> calls(@Nullable CallText calls) {
    return calls == null
        ? List.of()
        : calls.calls().stream().filter(ModelAnswer::isComplete).map(ModelAnswer::request).toList();
  }

  private static boolean isComplete(CallText.Call call) {
    try {
      return JsonMapper.shared().readTree(call.arguments()).isObject();
    } catch (JacksonException e) {
      return false;
    }
  }

  static ToolExecutionRequest request(CallText.Call call) {
    return ToolExecutionRequest.builder()
        .id(call.id())
        .name(call.name())
        .arguments(call.arguments())
        .build();
  }

  /** An answer that calls tools ends for them to be called, unless it was cut off. */
  static FinishReason finishReason(ChoiceText choice, List<ToolExecutionRequest> calls) {
    if (ChoiceText.LENGTH.equals(choice.finishReason())) {
      return FinishReason.LENGTH;
    }
    return calls.isEmpty() ? FinishReason.STOP : FinishReason.TOOL_EXECUTION;
  }
}
