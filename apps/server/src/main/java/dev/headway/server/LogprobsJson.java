package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.serving.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
   * Four arrays with an element for each token. The first of a prompt has no log-probability, as
   * nothing is in front of it.
   *
   * @param echo what the answer begins with; null if it does with nothing, or has begun
   * @param offset characters of the answer in front of the tokens, the echo included
   */
  ObjectNode completion(@Nullable PromptEcho echo, List<TokenStream.Token> tokens, int offset) {
    final ObjectNode json = Json.object();
    final ArrayNode texts = json.putArray("tokens");
    final ArrayNode logprobs = json.putArray("token_logprobs");
    final ArrayNode tops = json.putArray("top_logprobs");
    final ArrayNode offsets = json.putArray("text_offset");
    if (echo != null) {
      final String first = text(echo.firstTokenId());
      texts.add(first);
      logprobs.addNull();
      tops.addNull();
      offsets.add(0);
      add(json, echo.scored(), lengthInText(echo.firstTokenId(), first));
    }
    add(json, tokens, offset);
    return json;
  }

  private void add(ObjectNode json, List<TokenStream.Token> tokens, int offset) {
    final ArrayNode tops = (ArrayNode) json.path("top_logprobs");
    int at = offset;
    for (TokenStream.Token token : tokens) {
      final TokenLogprobs told = token.logprobs();
      if (told == null) {
        continue;
      }
      final String text = text(token.tokenId());
      ((ArrayNode) json.path("tokens")).add(text);
      ((ArrayNode) json.path("token_logprobs")).add(finite(told.logprob()));
      ((ArrayNode) json.path("text_offset")).add(at);
      at += lengthInText(token.tokenId(), text);
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
  }

  /** The name of a mark, such as the begin of a sequence, is not part of a text. */
  private int lengthInText(int tokenId, String text) {
    return tokenizer.isSpecial(tokenId) ? 0 : text.length();
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
