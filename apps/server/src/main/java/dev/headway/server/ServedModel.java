package dev.headway.server;

import dev.headway.server.chat.ChatTemplate;
import dev.headway.server.tokenizer.Tokenizer;

/**
 * What is served.
 *
 * @param name what clients call it
 * @param tokenizer text to tokens and back
 * @param chatTemplate messages to text
 * @param eosTokenIds tokens that end an answer; none if it only ends by length
 * @param vocabularySize token ids are below this; may be larger than the tokenizer's
 * @param maxModelLen longest prompt and answer together, in tokens
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ServedModel(
    String name,
    Tokenizer tokenizer,
    ChatTemplate chatTemplate,
    int[] eosTokenIds,
    int vocabularySize,
    int maxModelLen) {

  /** More than a text has in the mean, whatever its language; only runs of one character have. */
  private static final int MAX_CHARS_PER_TOKEN = 64;

  /** What a prompt may have in characters; more is refused before any work is done for it. */
  long maxPromptChars() {
    return (long) maxModelLen * MAX_CHARS_PER_TOKEN;
  }
}
