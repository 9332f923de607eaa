package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.api.internal.AnswerIds;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.tokenizer.Tokenizer;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    return AnswerIds.COMPLETION;
  }

  @Override
  public Answer answer(String id, String model, GenerationRequest asked, List<PromptEcho> echoes) {
    return new OpenAiAnswer(this, id, model, asked, echoes);
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
  public void addWhole(
      ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs) {
    addPart(choices, choice, echo, logprobs);
  }

  @Override
  public void addPart(
      ArrayNode choices, ChoiceText choice, @Nullable PromptEcho echo, boolean logprobs) {
    final PromptEcho beginning = choice.takeOpening() ? echo : null;
    final int offset = choice.textLength() + (echo == null ? 0 : echo.text().length());
    final ObjectNode json = choices.addObject();
    json.put("index", choice.index())
        .put("text", (beginning == null ? "" : beginning.text()) + choice.takeText());
    final List<TokenStream.Token> told = choice.takeLogprobs();
    json.set(
        "logprobs",
        logprobs && (beginning != null || !told.isEmpty())
            ? logprobsJson.completion(beginning, told, offset)
            : null);
    json.put("finish_reason", choice.finishReason());
  }
}
