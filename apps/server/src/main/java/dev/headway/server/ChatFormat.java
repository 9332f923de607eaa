package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.api.internal.AnswerIds;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.tokenizer.Tokenizer;
import dev.headway.serving.tool.CallText;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/chat/completions}. */
final class ChatFormat implements AnswerFormat, ChoiceFormat {

  private static final String ROLE = "assistant";
  private static final String TOOL_CALLS = "tool_calls";

  private final RequestReader reader;
  private final LogprobsJson logprobsJson;

  ChatFormat(RequestReader reader, Tokenizer tokenizer) {
    this.reader = reader;
    this.logprobsJson = new LogprobsJson(tokenizer);
  }

  @Override
  public GenerationRequest read(ObjectNode body) {
    return reader.chat(body);
  }

  @Override
  public String idPrefix() {
    return AnswerIds.CHAT_COMPLETION;
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked, List<PromptEcho> echoes) {
    return new OpenAiAnswer(this, id, model, asked, echoes);
  }

  @Override
  public String wholeObject() {
    return "chat.completion";
  }

  @Override
  public String chunkObject() {
    return "chat.completion.chunk";
  }

  @Override
  public void addWhole(
      ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs) {
    final ObjectNode json = choices.addObject().put("index", choice.index());
    final ObjectNode message = json.putObject("message").put("role", ROLE);
    final CallText calls = choice.calls();
    if (calls == null) {
      message.put("content", choice.takeText());
    } else {
      takeAll(choice, calls);
      final String content = calls.takeContent();
      message.put("content", content.isEmpty() && !calls.calls().isEmpty() ? null : content);
      if (!calls.calls().isEmpty()) {
        final ArrayNode array = message.putArray("tool_calls");
        calls.calls().forEach(call -> add(array.addObject(), call, call.arguments()));
      }
    }
    message.putNull("refusal");
    end(json, choice, logprobs);
  }

  @Override
  public void addPart(
      ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs) {
    final ObjectNode json = choices.addObject().put("index", choice.index());
    final ObjectNode delta = json.putObject("delta");
    if (choice.takeOpening()) {
      delta.put("role", ROLE);
    }
    final CallText calls = choice.calls();
    if (calls != null) {
      addPart(delta, choice, calls);
    } else if (choice.hasNews()) {
      delta.put("content", choice.takeText());
    }
    end(json, choice, logprobs);
  }

  private static void addPart(ObjectNode delta, ChoiceText choice, CallText calls) {
    takeAll(choice, calls);
    final String content = calls.takeContent();
    if (!content.isEmpty()) {
      delta.put("content", content);
    }
    final List<CallText.Delta> parts = calls.takeDeltas();
    if (!parts.isEmpty()) {
      final ArrayNode array = delta.putArray("tool_calls");
      for (CallText.Delta part : parts) {
        final ObjectNode json = array.addObject().put("index", part.index());
        if (part.begun() != null) {
          add(json, part.begun(), part.arguments());
        } else {
          json.putObject("function").put("arguments", part.arguments());
        }
      }
    }
  }

  private static void takeAll(ChoiceText choice, CallText calls) {
    calls.push(choice.takeText());
    if (choice.isDone()) {
      calls.finish();
    }
  }

  private static void add(ObjectNode json, CallText.Call call, String arguments) {
    json.put("id", call.id())
        .put("type", "function")
        .putObject("function")
        .put("name", call.name())
        .put("arguments", arguments);
  }

  /** An answer that calls functions ends for them to be called. */
  private static @Nullable String finishReason(ChoiceText choice) {
    final CallText calls = choice.calls();
    return calls != null
            && !calls.calls().isEmpty()
            && ChoiceText.STOP.equals(choice.finishReason())
        ? TOOL_CALLS
        : choice.finishReason();
  }

  private void end(ObjectNode json, ChoiceText choice, boolean logprobs) {
    final List<TokenStream.Token> told = choice.takeLogprobs();
    json.set("logprobs", logprobs && !told.isEmpty() ? logprobsJson.chat(told) : null);
    json.put("finish_reason", finishReason(choice));
  }
}
