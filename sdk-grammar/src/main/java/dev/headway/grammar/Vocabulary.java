package dev.headway.grammar;

import java.util.Arrays;
import java.util.function.IntFunction;

/**
 * The tokens of a model as the bytes of their text. Immutable; any thread.
 *
 * <p>A text is the bytes of its tokens one after the other, which holds for byte-level BPE and for
 * SentencePiece. Tokens without bytes, special ones above all, are never allowed within a grammar's
 * text; those that end an answer are allowed where the text may end.
 */
public final class Vocabulary {

  private final byte[][] bytes;
  private final int[] endTokenIds;

  private Vocabulary(byte[][] bytes, int[] endTokenIds) {
    this.bytes = bytes;
    this.endTokenIds = endTokenIds;
  }

  /**
   * Makes a vocabulary.
   *
   * @param size token ids are below this; that of the model, which may be larger than the
   *     tokenizer's
   * @param bytes the text of each token as UTF-8, in whole or in part; empty for special tokens and
   *     for ids that no token has
   * @param endTokenIds tokens that end an answer; with none, a grammar is complete as soon as
   *     nothing can follow
   * @throws IllegalArgumentException if an end token is outside the vocabulary
   */
  public static Vocabulary of(int size, IntFunction<byte[]> bytes, int... endTokenIds) {
    final byte[][] all = new byte[size][];
    for (int token = 0; token < size; token++) {
      all[token] = bytes.apply(token).clone();
    }
    for (int end : endTokenIds) {
      if (end < 0 || end >= size) {
        throw new IllegalArgumentException(
            "end tokens must be in [0, size): endTokenId=" + end + ", size=" + size);
      }
      all[end] = new byte[0];
    }
    return new Vocabulary(all, endTokenIds.clone());
  }

  /** Token ids are below this. */
  public int size() {
    return bytes.length;
  }

  /** Bytes of a token's text; 0 for one that is not text. */
  public int length(int tokenId) {
    return bytes[tokenId].length;
  }

  /** One byte of a token's text, in [0, 256). */
  public int byteAt(int tokenId, int index) {
    return bytes[tokenId][index] & 0xff;
  }

  /** Compares the texts of two tokens, byte by byte without sign. */
  public int compare(int tokenId, int other) {
    return Arrays.compareUnsigned(bytes[tokenId], bytes[other]);
  }

  /** How many tokens end an answer. */
  public int endTokens() {
    return endTokenIds.length;
  }

  /** One of the tokens that end an answer. */
  public int endTokenId(int index) {
    return endTokenIds[index];
  }

  /** Whether a token ends an answer. */
  public boolean isEnd(int tokenId) {
    for (int end : endTokenIds) {
      if (end == tokenId) {
        return true;
      }
    }
    return false;
  }
}
