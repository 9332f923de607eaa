package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.tokenizer.Tokenizer;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/completions}. */
final class CompletionFormat implements AnswerFormat, ChoiceFormat {

  private final RequestReader reader;
  private final LogprobsJson logprobsJson;

  CompletionFormat(RequestReader reader, Tokenizer tokenizer) {
    this.reader = reader;
    this.logprobsJson = new LogprobsJson(tokenizer);
  }

  @Override
  public GenerationRequest read(ObjectNode body) {
    return reader.completion(body);
  }

  @Override
  public String idPrefix() {
    return "cmpl-";
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked) {
    return new OpenAiAnswer(this, id, model, asked);
  }

  @Override
  public String wholeObject() {
    return "text_completion";
  }

  @Override
  public String chunkObject() {
    return "text_completion";
  }

  @Override
  public void addWhole(ArrayNode choices, ChoiceText choice, boolean logprobs) {
    addPart(choices, choice, logprobs);
  }

  @Override
  public void addPart(ArrayNode choices, ChoiceText choice, boolean logprobs) {
    final int offset = choice.textLength();
    final ObjectNode json = choices.addObject();
    json.put("index", choice.index()).put("text", choice.takeText());
    final List<TokenStream.Token> told = choice.takeLogprobs();
    json.set(
        "logprobs", logprobs && !told.isEmpty() ? logprobsJson.completion(told, offset) : null);
    json.put("finish_reason", choice.finishReason());
  }
}
