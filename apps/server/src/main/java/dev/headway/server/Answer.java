package dev.headway.server;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The parts of an answer around its choices: its id, its model, its usage. One thread. */
final class Answer {

  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_S = 1e9;

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
  ObjectNode whole(List<ChoiceText> done, int promptTokens, @Nullable ObjectNode metrics) {
    final ObjectNode json = envelope(format.wholeObject());
    final ArrayNode choices = json.putArray("choices");
    done.forEach(choice -> format.addWhole(choices, choice, logprobs));
    json.set("usage", usage(done, promptTokens));
    if (metrics != null) {
      json.set("metrics", metrics);
    }
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

  /** The last chunk of a stream that ends with its usage. */
  ObjectNode closing(List<ChoiceText> done, int promptTokens, @Nullable ObjectNode metrics) {
    final ObjectNode json = envelope(format.chunkObject());
    json.putArray("choices");
    json.set("usage", usage(done, promptTokens));
    if (metrics != null) {
      json.set("metrics", metrics);
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

  /**
   * The times of a request, as vLLM's per-request metrics define them: from scheduled to the first
   * token; from the first to the last; from queued to scheduled; tokens over scheduled to last.
   *
   * @param times null if it was never scheduled
   */
  static ObjectNode metrics(ChoiceText choice, QueueTimes.@Nullable Times times) {
    final ObjectNode json = Json.object();
    if (times == null || choice.tokens() == 0) {
      return json.putNull("time_to_first_token_ms")
          .putNull("generation_time_ms")
          .putNull("queue_time_ms")
          .putNull("mean_itl_ms")
          .putNull("tokens_per_second");
    }
    final long decodeNs = choice.lastTokenNs() - choice.firstTokenNs();
    json.put("time_to_first_token_ms", ms(choice.firstTokenNs() - times.scheduledNs()))
        .put("generation_time_ms", ms(decodeNs))
        .put("queue_time_ms", ms(times.scheduledNs() - times.queuedNs()));
    if (choice.tokens() > 1) {
      json.put("mean_itl_ms", ms(decodeNs / (choice.tokens() - 1)));
    } else {
      json.putNull("mean_itl_ms");
    }
    final long inferenceNs = choice.lastTokenNs() - times.scheduledNs();
    return json.put(
        "tokens_per_second", Math.round(choice.tokens() * NS_PER_S / inferenceNs * 100) / 100.0);
  }

  private static double ms(long ns) {
    return Math.round(ns / NS_PER_MS * 1000) / 1000.0;
  }
}
