package dev.headway.loadgen.client;

import dev.headway.loadgen.client.Exchange.Status;
import dev.headway.routing.timing.TimingJson;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What an answer in OpenAI's protocol says, put into an exchange.
 *
 * <p>Of a stream, each event with {@code choices} may be a token; {@link Exchange} decides at the
 * end about those without text. An event of a chat that only opens the answer is none: a role, no
 * content, no end. Some servers send it before anything is computed. An event without {@code
 * choices} holds usage and timing, and moves no instant. One thread.
 */
final class AnswerReader {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final String DONE = "[DONE]";
  private static final int LONGEST_ERROR = 300;

  private final Exchange exchange;

  AnswerReader(Exchange exchange) {
    this.exchange = exchange;
  }

  /** An event of a stream, read at {@code nowNs}. */
  void event(byte[] data, long nowNs) {
    if (data.length == DONE.length() && DONE.equals(new String(data, StandardCharsets.US_ASCII))) {
      return;
    }
    final JsonNode json = parse(data, nowNs);
    if (json == null || isError(json, nowNs)) {
      return;
    }
    final JsonNode choices = json.path("choices");
    if (!choices.isEmpty() && !isOpening(choices.path(0))) {
      chunk(choices.path(0), nowNs);
    }
    rest(json, choices, nowNs);
  }

  private void chunk(JsonNode choice, long nowNs) {
    final String text = text(choice);
    if (!text.isEmpty() || saysMore(choice)) {
      exchange.chunk(nowNs, text);
    } else if (choice.hasNonNull("finish_reason")) {
      exchange.endChunk(nowNs);
    } else {
      exchange.textlessChunk(nowNs);
    }
  }

  /** A whole answer, read at {@code nowNs}. */
  void whole(byte[] body, long nowNs) {
    final JsonNode json = parse(body, nowNs);
    if (json == null || isError(json, nowNs)) {
      return;
    }
    final JsonNode choices = json.path("choices");
    if (!choices.isEmpty()) {
      exchange.whole(nowNs, text(choices.path(0)));
    }
    rest(json, choices, nowNs);
  }

  /** An answer whose status is not 200. */
  void refused(int status, byte[] body, long nowNs) {
    final String text = new String(body, StandardCharsets.UTF_8).strip();
    exchange.failed(Status.ERROR, nowNs, "HTTP " + status + ": " + shortened(message(text)));
  }

  private @Nullable JsonNode parse(byte[] data, long nowNs) {
    try {
      return JSON.readTree(data);
    } catch (JacksonException e) {
      final String text = new String(data, StandardCharsets.UTF_8);
      exchange.failed(Status.ERROR, nowNs, "the answer is not JSON: " + shortened(text));
      return null;
    }
  }

  private boolean isError(JsonNode json, long nowNs) {
    if (!json.hasNonNull("error")) {
      return false;
    }
    final JsonNode error = json.path("error");
    final String text = error.path("message").asString(error.toString());
    exchange.failed(Status.ERROR, nowNs, "the server says: " + shortened(text));
    return true;
  }

  private void rest(JsonNode json, JsonNode choices, long nowNs) {
    final JsonNode reason = choices.path(0).path("finish_reason");
    if (reason.isString()) {
      exchange.finishReason(reason.stringValue());
    }
    final JsonNode usage = json.path("usage");
    if (usage.isObject()) {
      exchange.usage(
          usage.path("prompt_tokens").asInt(-1),
          usage.path("prompt_tokens_details").path("cached_tokens").asInt(-1),
          usage.path("completion_tokens").asInt(-1));
    }
    if (json.path(TimingJson.SERVER_FIELD).isObject()) {
      timing(json.path(TimingJson.SERVER_FIELD), nowNs);
    }
  }

  private void timing(JsonNode timing, long nowNs) {
    try {
      exchange.server(TimingJson.readServer(timing));
    } catch (IllegalArgumentException | JacksonException e) {
      final String why = shortened(String.valueOf(e.getMessage()));
      exchange.failed(Status.ERROR, nowNs, "the answer's timing cannot be read: " + why);
    }
  }

  private static boolean isOpening(JsonNode choice) {
    return choice.path("delta").has("role")
        && text(choice).isEmpty()
        && !saysMore(choice)
        && !choice.hasNonNull("finish_reason");
  }

  /** Whether a part has what is no text, but of tokens. */
  private static boolean saysMore(JsonNode choice) {
    final JsonNode delta = choice.path("delta");
    return !delta.path("tool_calls").isEmpty()
        || !delta.path("reasoning_content").asString("").isEmpty()
        || !delta.path("reasoning").asString("").isEmpty(); // vLLM's name for it now
  }

  private static String text(JsonNode choice) {
    if (choice.path("text").isString()) {
      return choice.path("text").stringValue();
    }
    final JsonNode said = choice.has("delta") ? choice.path("delta") : choice.path("message");
    return said.path("content").asString("");
  }

  private static String message(String body) {
    try {
      final JsonNode json = JSON.readTree(body);
      return json.path("error").path("message").asString(json.path("message").asString(body));
    } catch (JacksonException e) {
      return body;
    }
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST_ERROR ? text : text.substring(0, LONGEST_ERROR) + "...";
  }
}
