package dev.headway.server;

import dev.headway.api.request.TokenBias;
import dev.headway.serving.ServedModel;
import dev.headway.serving.tokenizer.Tokenizer;
import dev.headway.serving.tokenizer.Tokenizer.SpecialTokens;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** The fields {@code logit_bias} and {@code bad_words}. Stateless; any thread. */
final class BiasReader {

  private static final int MAX_BIASES = 1_024;
  private static final int MAX_BAD_WORDS = 128;
  private static final double MOST_BIAS = 100;

  private BiasReader() {}

  static TokenBias read(Fields fields, ServedModel model) {
    TokenBias bias = TokenBias.NONE;
    if (fields.has("logit_bias")) {
      bias = bias.withBiases(biases(fields, model.vocabularySize()));
    }
    for (String word : fields.shortTexts("bad_words", MAX_BAD_WORDS)) {
      bias = banned(bias, model.tokenizer(), word);
    }
    return bias;
  }

  private static Map<Integer, Float> biases(Fields fields, int vocabularySize) {
    final JsonNode value = fields.get("logit_bias");
    final String rule =
        "an object of at most "
            + MAX_BIASES
            + " token ids in [0, "
            + vocabularySize
            + ") with numbers in [-100, 100]";
    if (!value.isObject() || value.size() > MAX_BIASES) {
      throw fields.wrong("logit_bias", rule, value);
    }
    final Map<Integer, Float> biases = new TreeMap<>();
    for (Map.Entry<String, JsonNode> each : value.properties()) {
      final int id = tokenId(each.getKey());
      final double added = each.getValue().isNumber() ? each.getValue().doubleValue() : Double.NaN;
      if (id < 0 || id >= vocabularySize || !(Math.abs(added) <= MOST_BIAS)) {
        throw fields.wrong("logit_bias", rule, value);
      }
      biases.put(id, (float) added);
    }
    return biases;
  }

  private static int tokenId(String name) {
    return name.matches("[0-9]{1,9}") ? Integer.parseInt(name) : -1;
  }

  /** As vLLM: within a word, and at the begin of one where that is a token of its own. */
  private static TokenBias banned(TokenBias bias, Tokenizer tokenizer, String word) {
    final String text = word.stripLeading();
    final int[] inside = tokenizer.encode(text, SpecialTokens.LEFT_OUT);
    if (inside.length == 0) {
      return bias;
    }
    final int[] atBegin = tokenizer.encode(" " + text, SpecialTokens.LEFT_OUT);
    final TokenBias made = bias.withBan(inside);
    return atBegin.length == inside.length && atBegin[0] != inside[0]
        ? made.withBan(atBegin)
        : made;
  }
}
