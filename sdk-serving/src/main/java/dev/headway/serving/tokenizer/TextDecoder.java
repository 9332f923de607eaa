package dev.headway.serving.tokenizer;

/**
 * Turns the tokens of one answer into text, each part as soon as it is certain: bytes of a
 * character that is not whole yet are held back. One thread.
 */
public interface TextDecoder {

  /** Takes a token; returns the text that became certain, maybe none. */
  String push(int tokenId);

  /** Returns what is left when no token follows; a broken character becomes U+FFFD. */
  String finish();
}
