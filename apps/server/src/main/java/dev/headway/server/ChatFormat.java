package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.server.tokenizer.Tokenizer;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/chat/completions}. */
final class ChatFormat implements AnswerFormat, ChoiceFormat {

  private static final String ROLE = "assistant";

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
    return "chatcmpl-";
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked) {
    return new OpenAiAnswer(this, id, model, asked);
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
  public void addWhole(ArrayNode choices, ChoiceText choice, boolean logprobs) {
    final ObjectNode json = choices.addObject().put("index", choice.index);
    json.putObject("message")
        .put("role", ROLE)
        .put("content", choice.takeText())
        .putNull("refusal");
    end(json, choice, logprobs);
  }

  @Override
  public void addPart(ArrayNode choices, ChoiceText choice, boolean logprobs) {
    final ObjectNode json = choices.addObject().put("index", choice.index);
    final ObjectNode delta = json.putObject("delta");
    if (choice.takeOpening()) {
      delta.put("role", ROLE);
    }
    if (choice.hasNews()) {
      delta.put("content", choice.takeText());
    }
    end(json, choice, logprobs);
  }

  private void end(ObjectNode json, ChoiceText choice, boolean logprobs) {
    final List<TokenStream.Token> told = choice.takeLogprobs();
    json.set("logprobs", logprobs && !told.isEmpty() ? logprobsJson.chat(told) : null);
    json.put("finish_reason", choice.finishReason());
  }
}
