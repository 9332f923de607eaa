package dev.headway.server;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts of an answer around its choices: its id, its model, its usage. One thread. */
final class Answer {

  private final AnswerFormat format;
  private final String id;
  private final String model;
  private final boolean logprobs;
  private final long createdS = Instant.now().getEpochSecond();

  Answer(AnswerFormat format, String id, String model, boolean logprobs) {
    this.format = format;
    this.id = id;
    this.model = model;
    this.logprobs = logprobs;
  }

  /** The id that clients see. */
  String id() {
    return id;
  }

  /** The whole answer. */
  ObjectNode whole(List<ChoiceText> done, int promptTokens) {
    final ObjectNode json = envelope(format.wholeObject());
    final ArrayNode choices = json.putArray("choices");
    done.forEach(choice -> format.addWhole(choices, choice, logprobs));
    json.set("usage", usage(done, promptTokens));
    return json;
  }

  /** What a stream says of a choice first, or null if that is nothing. */
  @Nullable ObjectNode opening(int choice) {
    final ObjectNode json = envelope(format.chunkObject());
    final ArrayNode choices = json.putArray("choices");
    format.addOpening(choices, choice);
    return choices.isEmpty() ? null : json;
  }

  /** What became certain of a choice. */
  ObjectNode part(ChoiceText choice) {
    final ObjectNode json = envelope(format.chunkObject());
    format.addPart(json.putArray("choices"), choice, logprobs);
    return json;
  }

  /** The last chunk of a stream: without choices. */
  ObjectNode closing() {
    final ObjectNode json = envelope(format.chunkObject());
    json.putArray("choices");
    return json;
  }

  /** Adds the usage to it. */
  static void addUsage(ObjectNode json, List<ChoiceText> done, int promptTokens) {
    json.set("usage", usage(done, promptTokens));
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
