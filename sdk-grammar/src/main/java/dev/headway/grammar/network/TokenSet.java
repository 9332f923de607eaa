package dev.headway.grammar.network;

import java.util.Arrays;

/** Tokens of a vocabulary, as bits or, where they are few, as a list. Immutable. */
final class TokenSet {

  private final int words;
  private final int[] bits;
  private final int[] few;

  private TokenSet(int words, int[] bits, int[] few) {
    this.words = words;
    this.bits = bits;
    this.few = few;
  }

  /** Copies bits. */
  static TokenSet of(int[] bits) {
    int count = 0;
    for (int word : bits) {
      count += Integer.bitCount(word);
    }
    if (count > bits.length / 2) {
      return new TokenSet(bits.length, bits.clone(), new int[0]);
    }
    final int[] few = new int[count];
    int at = 0;
    for (int i = 0; i < bits.length; i++) {
      for (int word = bits[i]; word != 0; word &= word - 1) {
        few[at++] = i * Integer.SIZE + Integer.numberOfTrailingZeros(word);
      }
    }
    return new TokenSet(bits.length, new int[0], few);
  }

  int bytes() {
    return Integer.BYTES * (bits.length + few.length);
  }

  /** Writes it as bits. Allocates nothing. */
  void fill(int[] mask, int offset) {
    if (bits.length > 0) {
      System.arraycopy(bits, 0, mask, offset, words);
      return;
    }
    Arrays.fill(mask, offset, offset + words, 0);
    for (int token : few) {
      mask[offset + (token >> 5)] |= 1 << token;
    }
  }

  /** Adds it to bits. */
  void addTo(int[] mask) {
    for (int i = 0; i < bits.length; i++) {
      mask[i] |= bits[i];
    }
    for (int token : few) {
      mask[token >> 5] |= 1 << token;
    }
  }
}
