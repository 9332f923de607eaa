package dev.headway.loadgen.client;

import dev.headway.loadgen.dataset.Prompt;
import dev.headway.routing.timing.TimingJson;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Bodies of requests in OpenAI's protocol. Any thread. */
final class RequestBody {

  private static final JsonMapper JSON = JsonMapper.shared();

  private final BodyOptions options;

  RequestBody(BodyOptions options) {
    this.options = options;
  }

  /** The body of a call, UTF-8. */
  byte[] of(Call call) {
    final ObjectNode body = JsonNodeFactory.instance.objectNode().put("model", options.model());
    final Prompt prompt = call.prompt().get();
    if (options.endpoint() == Endpoint.CHAT) {
      addMessages(body, prompt);
      body.put("max_completion_tokens", call.maxTokens());
    } else {
      addPrompt(body, prompt);
      body.put("max_tokens", call.maxTokens());
    }
    body.put("stream", options.stream());
    if (options.stream()) {
      body.putObject("stream_options").put("include_usage", true);
    }
    if (options.ignoreEos()) {
      body.put("ignore_eos", true);
    }
    if (options.temperature() != null) {
      body.put("temperature", options.temperature());
    }
    if (call.priority() != 0) {
      body.put("priority", call.priority());
    }
    if (options.returnTiming()) {
      body.put(TimingJson.REQUEST_FIELD, true);
    }
    if (options.extra() != null) {
      for (var field : options.extra().properties()) {
        body.set(field.getKey(), field.getValue());
      }
    }
    return JSON.writeValueAsBytes(body);
  }

  private static void addPrompt(ObjectNode body, Prompt prompt) {
    switch (prompt) {
      case Prompt.Text text -> body.put("prompt", text.text());
      case Prompt.Tokens tokens -> {
        final ArrayNode ids = body.putArray("prompt");
        for (int id : tokens.ids()) {
          ids.add(id);
        }
      }
    }
  }

  private static void addMessages(ObjectNode body, Prompt prompt) {
    if (!(prompt instanceof Prompt.Text text)) {
      throw new IllegalArgumentException("a chat takes text, not numbers of tokens");
    }
    body.putArray("messages").addObject().put("role", "user").put("content", text.text());
  }
}
