package dev.headway.router.proxy;

import dev.headway.router.prompt.PromptTokenizer;
import dev.headway.routing.timing.TimingJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a router wants to know of a request's body, in OpenAI's protocol or SGLang's own. A body
 * that is not JSON, or not as expected, has none of these; what is wrong with it the worker will
 * say.
 */
final class Prompt {

  private static final JsonMapper JSON = JsonMapper.shared();
  static final Prompt NOTHING = new Prompt();

  /** An object of Jackson's in a collection of another, without its text. */
  private static final int BYTES_PER_JSON_TOKEN = 64;

  /** Trees of less are not worth counting. */
  private static final int SMALL_BYTES = 16 << 10;

  @Nullable String model;
  @Nullable String text;
  int @Nullable [] tokens;
  @Nullable List<PromptTokenizer.Message> messages;
  int maxTokens;
  int priority;
  boolean wantsTiming;
  @Nullable String user;

  private Prompt() {}

  static Prompt read(byte[] body) {
    if (body.length == 0) {
      return NOTHING;
    }
    final Prompt prompt = new Prompt();
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        return NOTHING;
      }
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        final String name = json.currentName();
        json.nextToken();
        prompt.field(name, json);
      }
      return prompt;
    } catch (JacksonException | ArithmeticException e) {
      return NOTHING;
    }
  }

  /** Bytes that trees of a body may need, or 0 where they need few. */
  static long treeBytes(byte[] body) {
    if (body.length <= SMALL_BYTES) {
      return 0;
    }
    long tokens = 0;
    try (JsonParser json = JSON.createParser(body)) {
      while (json.nextToken() != null) {
        tokens++;
      }
    } catch (JacksonException e) {
      return tokens * BYTES_PER_JSON_TOKEN; // it is not read further either
    }
    return tokens * BYTES_PER_JSON_TOKEN;
  }

  private void field(String name, JsonParser json) {
    final JsonToken token = json.currentToken();
    switch (name) {
      case "model" -> model = token == JsonToken.VALUE_STRING ? json.getString() : null;
      case "user" -> user = token == JsonToken.VALUE_STRING ? json.getString() : null;
      case "prompt", "text", "input_ids", "input" -> prompt(json);
      case "messages" -> messages(json);
      case "max_tokens", "max_completion_tokens" ->
          maxTokens = token == JsonToken.VALUE_NUMBER_INT ? json.getIntValue() : maxTokens;
      case "priority" ->
          priority = token == JsonToken.VALUE_NUMBER_INT ? json.getIntValue() : priority;
      case "sampling_params" -> {
        final JsonNode parameters = json.readValueAsTree();
        maxTokens = parameters.path("max_new_tokens").asInt(maxTokens);
      }
      case TimingJson.REQUEST_FIELD -> wantsTiming = token == JsonToken.VALUE_TRUE;
      default -> json.skipChildren();
    }
  }

  /** A text, token ids, or a list of either, of which the first counts. */
  private void prompt(JsonParser json) {
    switch (json.currentToken()) {
      case VALUE_STRING -> text = json.getString();
      case START_ARRAY -> {
        int[] ids = new int[64];
        int count = 0;
        while (json.nextToken() != JsonToken.END_ARRAY) {
          if (json.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            ids = count == ids.length ? Arrays.copyOf(ids, 2 * count) : ids;
            ids[count++] = json.getIntValue();
          } else if (text == null && tokens == null) {
            prompt(json);
          } else {
            json.skipChildren();
          }
        }
        tokens = count > 0 ? Arrays.copyOf(ids, count) : tokens;
      }
      default -> json.skipChildren();
    }
  }

  /** Roles and texts one after the other: equal beginnings of conversations stay equal. */
  private void messages(JsonParser json) {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      json.skipChildren();
      return;
    }
    final List<PromptTokenizer.Message> all = new ArrayList<>();
    final StringBuilder texts = new StringBuilder();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      final JsonNode message = json.readValueAsTree();
      final String role = message.path("role").asString("");
      final String content = content(message.path("content"));
      all.add(new PromptTokenizer.Message(role, content));
      texts.append(role).append('\n').append(content).append('\n');
    }
    messages = all;
    text = texts.toString();
  }

  private static String content(JsonNode content) {
    if (!content.isArray()) {
      return content.asString("");
    }
    final StringBuilder parts = new StringBuilder();
    content.forEach(part -> parts.append(part.path("text").asString("")));
    return parts.toString();
  }
}
