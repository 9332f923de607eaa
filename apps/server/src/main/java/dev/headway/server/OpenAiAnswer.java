package dev.headway.server;

import dev.headway.serving.ChoiceText;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An answer in OpenAI's form. One thread. */
final class OpenAiAnswer implements Answer {

  private final ChoiceFormat format;
  private final String id;
  private final String model;
  private final boolean logprobs;
  private final boolean usageSoFar;
  private final long createdS = Instant.now().getEpochSecond();

  OpenAiAnswer(ChoiceFormat format, String id, String model, GenerationRequest asked) {
    this.format = format;
    this.id = id;
    this.model = model;
    this.logprobs = asked.topLogprobs() >= 0;
    this.usageSoFar = asked.delivery().usageSoFar();
  }

  @Override
  public ObjectNode whole(List<ChoiceText> done, int promptTokens) {
    final ObjectNode json = envelope(format.wholeObject());
    final ArrayNode choices = json.putArray("choices");
    done.forEach(choice -> format.addWhole(choices, choice, logprobs));
    json.set("usage", usage(done, promptTokens));
    return json;
  }

  @Override
  public ObjectNode part(ChoiceText choice, int promptTokens) {
    final ObjectNode json = envelope(format.chunkObject());
    format.addPart(json.putArray("choices"), choice, logprobs);
    if (usageSoFar) {
      json.set("usage", usage(List.of(choice), promptTokens));
    }
    return json;
  }

  @Override
  public ObjectNode closing(List<ChoiceText> done, int promptTokens, boolean usage) {
    final ObjectNode json = envelope(format.chunkObject());
    json.putArray("choices");
    if (usage) {
      json.set("usage", usage(done, promptTokens));
    }
    return json;
  }

  private ObjectNode envelope(String object) {
    return Json.object()
        .put("id", id)
        .put("object", object)
        .put("created", createdS)
        .put("model", model);
  }

  private static ObjectNode usage(List<ChoiceText> done, int promptTokens) {
    final int completion = done.stream().mapToInt(ChoiceText::tokens).sum();
    return Json.object()
        .put("prompt_tokens", promptTokens)
        .put("completion_tokens", completion)
        .put("total_tokens", promptTokens + completion);
  }
}
