package dev.headway.router.proxy;

import dev.headway.routing.timing.TimingJson;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a router wants to know of a request's body, in OpenAI's protocol or SGLang's own. A body
 * that is not JSON, or not as expected, tells nothing; what is wrong with it the worker will say.
 */
final class Prompt {

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final Prompt NOTHING = new Prompt();

  @Nullable String model;
  @Nullable String text;
  int @Nullable [] tokens;
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
    final StringBuilder all = new StringBuilder();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      final JsonNode message = json.readValueAsTree();
      all.append(message.path("role").asString("")).append('\n');
      final JsonNode content = message.path("content");
      if (content.isArray()) {
        content.forEach(part -> all.append(part.path("text").asString("")));
      } else {
        all.append(content.asString(""));
      }
      all.append('\n');
    }
    text = all.toString();
  }
}
