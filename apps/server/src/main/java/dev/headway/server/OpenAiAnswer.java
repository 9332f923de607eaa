package dev.headway.server;

import dev.headway.serving.ChoiceText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An answer in OpenAI's form. One thread. */
final class OpenAiAnswer implements Answer {

  private final ChoiceFormat format;
  private final String id;
  private final String model;
  private final List<PromptEcho> echoes;
  private final int n;
  private final int candidates;
  private final boolean logprobs;
  private final boolean usage;
  private final boolean usageSoFar;
  private final long createdS = Instant.now().getEpochSecond();

  OpenAiAnswer(
      ChoiceFormat format,
      String id,
      String model,
      GenerationRequest asked,
      List<PromptEcho> echoes) {
    this.format = format;
    this.id = id;
    this.model = model;
    this.echoes = echoes;
    this.n = asked.n();
    this.candidates = asked.candidates();
    this.usage = asked.delivery().usage();
    this.logprobs = asked.topLogprobs() >= 0;
    this.usageSoFar = asked.delivery().usageSoFar();
  }

  @Override
  public ObjectNode whole(List<ChoiceText> done, int promptTokens) {
    final ObjectNode json = envelope(format.wholeObject());
    final ArrayNode choices = json.putArray("choices");
    for (ChoiceText choice : chosen(done)) {
      format.addWhole(choices, choice, echoOf(choice), logprobs);
      ((ObjectNode) choices.get(choices.size() - 1)).put("index", choices.size() - 1);
    }
    json.set("usage", usage(done, promptTokens));
    return json;
  }

  /** The most probable of each prompt's, most probable first; all in their order otherwise. */
  private List<ChoiceText> chosen(List<ChoiceText> done) {
    if (candidates == n) {
      return done;
    }
    final List<ChoiceText> chosen = new ArrayList<>();
    for (int from = 0; from < done.size(); from += candidates) {
      done.subList(from, from + candidates).stream()
          .sorted(Comparator.comparingDouble(ChoiceText::logprob).reversed())
          .limit(n)
          .forEach(chosen::add);
    }
    return chosen;
  }

  private @Nullable PromptEcho echoOf(ChoiceText choice) {
    return echoes.isEmpty() ? null : echoes.get(choice.index() / candidates);
  }

  @Override
  public ObjectNode part(ChoiceText choice, int promptTokens) {
    final ObjectNode json = envelope(format.chunkObject());
    format.addPart(json.putArray("choices"), choice, echoOf(choice), logprobs);
    if (usageSoFar) {
      json.set("usage", usage(List.of(choice), promptTokens));
    } else if (usage) {
      json.putNull("usage"); // as OpenAI: the last part has it
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
