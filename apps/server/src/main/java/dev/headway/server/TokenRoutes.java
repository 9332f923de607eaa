package dev.headway.server;

import dev.headway.http.BodyBudget;
import dev.headway.http.server.ServerExchange;
import dev.headway.server.GenerationRequest.Text;
import dev.headway.serving.ServedModel;
import dev.headway.serving.tokenizer.TextDecoder;
import dev.headway.serving.tokenizer.Tokenizer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code /tokenize} and {@code /detokenize}: texts and messages to token ids, and back, without a
 * model. Fields are vLLM's. Any thread.
 */
final class TokenRoutes {

  private final ServedModel model;
  private final Bodies bodies;
  private final RequestReader reader;

  TokenRoutes(ServedModel model, Bodies bodies, RequestReader reader) {
    this.model = model;
    this.bodies = bodies;
    this.reader = reader;
  }

  /** The tokens of a prompt, or of messages as the model's template puts them. */
  ObjectNode tokenize(ServerExchange exchange) throws IOException {
    try (BodyBudget.Claim claim = bodies.claim(exchange)) {
      final Fields fields = fields(exchange, claim);
      final Text text = reader.tokenized(fields);
      final boolean asTexts = fields.flag("return_token_strs", false);
      GenerationHandler.nameIgnored(exchange, UnsupportedFields.ignored(fields));
      final int[] ids = EngineRequests.tokenise(text, model);
      final ObjectNode json =
          Json.object().put("count", ids.length).put("max_model_len", model.maxModelLen());
      final ArrayNode tokens = json.putArray("tokens");
      for (int id : ids) {
        tokens.add(id);
      }
      if (asTexts) {
        final ArrayNode texts = json.putArray("token_strs");
        for (int id : ids) {
          texts.add(new String(model.tokenizer().bytes(id), StandardCharsets.UTF_8));
        }
      } else {
        json.putNull("token_strs");
      }
      return json;
    }
  }

  /** The text of tokens, the names of marks included. */
  ObjectNode detokenize(ServerExchange exchange) throws IOException {
    try (BodyBudget.Claim claim = bodies.claim(exchange)) {
      final Fields fields = fields(exchange, claim);
      reader.requireModel(fields);
      if (!fields.has("tokens")) {
        throw fields.wrong("tokens", "an array of token ids", fields.get("tokens"));
      }
      final int[] ids = fields.tokenIds("tokens", model.vocabularySize());
      GenerationHandler.nameIgnored(exchange, UnsupportedFields.ignored(fields));
      return Json.object().put("prompt", text(ids));
    }
  }

  private Fields fields(ServerExchange exchange, BodyBudget.Claim claim) throws IOException {
    return new Fields(bodies.object(bodies.read(exchange, claim), claim));
  }

  private String text(int[] ids) {
    final Tokenizer tokenizer = model.tokenizer();
    final StringBuilder text = new StringBuilder();
    TextDecoder decoder = tokenizer.decoder(new int[0]);
    for (int i = 0; i < ids.length; i++) {
      if (tokenizer.isSpecial(ids[i])) { // a decoder leaves it out
        text.append(decoder.finish())
            .append(new String(tokenizer.bytes(ids[i]), StandardCharsets.UTF_8));
        decoder = tokenizer.decoder(Arrays.copyOfRange(ids, i, i + 1));
      } else {
        text.append(decoder.push(ids[i]));
      }
    }
    return text.append(decoder.finish()).toString();
  }
}
