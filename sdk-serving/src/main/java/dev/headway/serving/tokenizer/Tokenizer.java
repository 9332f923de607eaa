package dev.headway.serving.tokenizer;

/** Text to token ids and back. Any thread. */
public interface Tokenizer {

  /** Whether the model's own tokens around a text, such as the begin of a sequence, are added. */
  enum SpecialTokens {
    ADDED,
    LEFT_OUT
  }

  /** What it is, for people. */
  String name();

  /** Token ids are in [0, vocabularySize). */
  int vocabularySize();

  /**
   * Returns the tokens of a text; none for an empty one unless special tokens are added.
   *
   * @throws IllegalStateException if the tokenizer lacks a token that the text needs
   */
  int[] encode(String text, SpecialTokens special);

  /**
   * Starts to turn the outputs behind a prompt into text.
   *
   * @param prompt tokens in front, so that the first output is not taken for a beginning; not kept
   */
  TextDecoder decoder(int[] prompt);

  /** Whether a token is a mark, such as the end of an answer, whose name is not part of a text. */
  boolean isSpecial(int tokenId);

  /**
   * Returns the bytes of a token's text, UTF-8 in whole or in part. Those of a special token are
   * its name.
   */
  byte[] bytes(int tokenId);
}
