package dev.headway.langchain4j;

import dev.headway.serving.EngineTimes;
import dev.headway.serving.reply.Reply;
import dev.headway.serving.tool.CallText;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** A whole reply as LangChain4j's answers. Stateless. */
final class ModelAnswer {

  private ModelAnswer() {}

  /** The answer to a chat. */
  static ChatResponse chatResponse(Reply reply, String modelName) {
    final boolean isCalls = reply.text().isEmpty() && !reply.calls().isEmpty();
    return ChatResponse.builder()
        .aiMessage(
            AiMessage.builder()
                .text(isCalls ? null : reply.text())
                .toolExecutionRequests(reply.calls().stream().map(ModelAnswer::request).toList())
                .build())
        .metadata(metadata(reply, modelName))
        .build();
  }

  /** The answer to a text; its metadata has that of the request as {@code headway}. */
  static Response<String> response(Reply reply, String modelName) {
    final HeadwayChatResponseMetadata metadata = metadata(reply, modelName);
    return Response.from(
        reply.text(), metadata.tokenUsage(), metadata.finishReason(), Map.of("headway", metadata));
  }

  static ToolExecutionRequest request(CallText.Call call) {
    return ToolExecutionRequest.builder()
        .id(call.id())
        .name(call.name())
        .arguments(call.arguments())
        .build();
  }

  /** An answer that calls tools ends for them to be called, unless it was cut off. */
  private static FinishReason finishReason(Reply reply) {
    if (reply.isCutOff()) {
      return FinishReason.LENGTH;
    }
    return reply.calls().isEmpty() ? FinishReason.STOP : FinishReason.TOOL_EXECUTION;
  }

  private static HeadwayChatResponseMetadata metadata(Reply reply, String modelName) {
    final EngineTimes.Times times = reply.times();
    return HeadwayChatResponseMetadata.builder()
        .id(reply.id())
        .modelName(modelName)
        .tokenUsage(new TokenUsage(reply.promptTokens(), reply.outputTokens()))
        .finishReason(finishReason(reply))
        .waits(reply.waits(), reply.preemptions())
        .arrivalNs(reply.arrivalNs())
        .queued(
            times == null ? OptionalLong.empty() : OptionalLong.of(times.queuedNs()),
            times == null ? OptionalLong.empty() : OptionalLong.of(times.scheduledNs()),
            times == null ? OptionalInt.empty() : OptionalInt.of(times.cachedTokens()))
        .firstTokenNs(reply.firstTokenNs())
        .finishedNs(reply.finishedNs())
        .build();
  }
}
