package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.serving.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Log-probabilities in the shapes of the two endpoints. Any thread. */
final class LogprobsJson {

  /** Value of an impossible token, since JSON has no infinity; as vLLM. */
  private static final float LEAST = -9999f;

  private final Tokenizer tokenizer;

  LogprobsJson(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /**
   * Four arrays with an element for each token.
   *
   * @param offset characters of the answer in front
   */
  ObjectNode completion(List<TokenStream.Token> tokens, int offset) {
    final ObjectNode json = Json.object();
    final ArrayNode texts = json.putArray("tokens");
    final ArrayNode logprobs = json.putArray("token_logprobs");
    final ArrayNode tops = json.putArray("top_logprobs");
    final ArrayNode offsets = json.putArray("text_offset");
    int at = offset;
    for (TokenStream.Token token : tokens) {
      final TokenLogprobs told = token.logprobs();
      if (told == null) {
        continue;
      }
      final String text = text(token.tokenId());
      texts.add(text);
      logprobs.add(finite(told.logprob()));
      offsets.add(at);
      at += text.length();
      final ObjectNode top = tops.addObject();
      for (int i = 0; i < told.topIds().length; i++) {
        final String other = text(told.topIds()[i]);
        if (!top.has(other)) { // two tokens may read alike: the more probable one stays
          top.put(other, finite(told.topLogprobs()[i]));
        }
      }
      if (!top.has(text)) {
        top.put(text, finite(told.logprob()));
      }
    }
    return json;
  }

  /** An array with an object for each token. */
  ObjectNode chat(List<TokenStream.Token> tokens) {
    final ObjectNode json = Json.object();
    final ArrayNode content = json.putArray("content");
    for (TokenStream.Token token : tokens) {
      final TokenLogprobs told = token.logprobs();
      if (told == null) {
        continue;
      }
      final ObjectNode entry = content.addObject();
      describe(entry, token.tokenId(), told.logprob());
      final ArrayNode tops = entry.putArray("top_logprobs");
      for (int i = 0; i < told.topIds().length; i++) {
        describe(tops.addObject(), told.topIds()[i], told.topLogprobs()[i]);
      }
    }
    return json;
  }

  private void describe(ObjectNode entry, int tokenId, float logprob) {
    entry.put("token", text(tokenId)).put("logprob", finite(logprob));
    final ArrayNode bytes = entry.putArray("bytes");
    for (byte value : tokenizer.bytes(tokenId)) {
      bytes.add(value & 0xff);
    }
  }

  private String text(int tokenId) {
    return new String(tokenizer.bytes(tokenId), StandardCharsets.UTF_8);
  }

  private static float finite(float logprob) {
    return Math.max(logprob, LEAST);
  }
}
