package dev.headway.serving;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.StopRule;
import dev.headway.serving.chat.ChatTemplate;
import dev.headway.serving.tokenizer.Tokenizer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What is served.
 *
 * @param name what clients call it
 * @param tokenizer text to tokens and back
 * @param chatTemplate messages to text
 * @param eosTokenIds tokens that end an answer; none if it only ends by length
 * @param vocabularySize token ids are below this; may be larger than the tokenizer's
 * @param maxModelLen longest prompt and answer together, in tokens
 * @param adapters that clients may name in its place
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ServedModel(
    String name,
    Tokenizer tokenizer,
    ChatTemplate chatTemplate,
    int[] eosTokenIds,
    int vocabularySize,
    int maxModelLen,
    List<LoraAdapter> adapters) {

  /** More than a text has in the mean, whatever its language; only runs of one character have. */
  private static final int MAX_CHARS_PER_TOKEN = 64;

  /**
   * Validates the components.
   *
   * @throws IllegalArgumentException if an adapter has the model's name
   */
  public ServedModel {
    adapters = List.copyOf(adapters);
    for (LoraAdapter adapter : adapters) {
      if (adapter.name().equals(name)) {
        throw new IllegalArgumentException(
            "an adapter must have another name than the model: adapter=" + adapter);
      }
    }
  }

  /** A model without adapters. */
  public ServedModel(
      String name,
      Tokenizer tokenizer,
      ChatTemplate chatTemplate,
      int[] eosTokenIds,
      int vocabularySize,
      int maxModelLen) {
    this(name, tokenizer, chatTemplate, eosTokenIds, vocabularySize, maxModelLen, List.of());
  }

  /** The same model with adapters, which the engine's executor has. */
  public ServedModel withAdapters(List<LoraAdapter> others) {
    return new ServedModel(
        name, tokenizer, chatTemplate, eosTokenIds, vocabularySize, maxModelLen, others);
  }

  /** The adapter of a name, if it is one's. */
  public Optional<LoraAdapter> adapter(String asked) {
    return adapters.stream().filter(adapter -> adapter.name().equals(asked)).findFirst();
  }

  /** What a prompt may have in characters; more is refused before any work is done for it. */
  public long maxPromptChars() {
    return (long) maxModelLen * MAX_CHARS_PER_TOKEN;
  }

  /**
   * Returns the rule by which an answer ends at the model's own tokens, or after so many.
   *
   * @param maxTokens most tokens of the answer, >= 1
   * @param stopTokenIds tokens that end it too
   */
  public StopRule stopRule(int maxTokens, int... stopTokenIds) {
    StopRule rule = StopRule.maxTokens(maxTokens);
    if (eosTokenIds.length > 0) {
      rule = rule.withEosTokenId(eosTokenIds[0]);
    }
    final int others = Math.max(0, eosTokenIds.length - 1);
    final int[] stops = Arrays.copyOf(stopTokenIds, stopTokenIds.length + others);
    System.arraycopy(eosTokenIds, eosTokenIds.length - others, stops, stopTokenIds.length, others);
    return rule.withStopTokenIds(stops);
  }
}
