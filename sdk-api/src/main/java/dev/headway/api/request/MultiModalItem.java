package dev.headway.api.request;

import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An image, or anything else that is not text, in a prompt: its place holder tokens, and what makes
 * it another than an item with the same tokens. Immutable; any thread.
 *
 * <p>Requests share cached KV only where their items are equal too: the same content at the same
 * place. Those with embeddings are computed by the executor's encoder before the tokens that they
 * stand for; see {@code EncoderOptions}. Prompt embeddings, and whatever else must not share KV
 * because its tokens are equal, need no encoder: {@link #withoutEncoder}.
 *
 * <p>Source: vLLM 0.28, {@code MultiModalFeatureSpec} and {@code PlaceholderRange}.
 */
public final class MultiModalItem {

  private final String hash;
  private final int offset;
  private final int length;
  private final int embeddings;

  /** Positions that are embeddings; null if all are, or none. */
  private final @Nullable BitSet mask;

  private MultiModalItem(
      String hash, int offset, int length, int embeddings, @Nullable BitSet mask) {
    if (hash.isBlank()) {
      throw new IllegalArgumentException(
          "hash of an item must not be blank: offset=" + offset + ", hash='" + hash + "'");
    }
    Request.requireShort("hash of an item", hash);
    if (offset < 0 || length < 1 || offset > Integer.MAX_VALUE - length) {
      throw new IllegalArgumentException(
          "an item must have offset >= 0 and length >= 1: hash="
              + hash
              + ", offset="
              + offset
              + ", length="
              + length);
    }
    this.hash = hash;
    this.offset = offset;
    this.length = length;
    this.embeddings = embeddings;
    this.mask = mask;
  }

  /**
   * Returns an item all of whose tokens are embeddings.
   *
   * @param hash of its content, not blank, at most {@value Request#MAX_NAME_CHARS} characters
   * @param offset position of its first token in the prompt, >= 0
   * @param length its tokens, >= 1
   * @throws IllegalArgumentException if one is outside its range
   */
  public static MultiModalItem of(String hash, int offset, int length) {
    return new MultiModalItem(hash, offset, length, length, null);
  }

  /**
   * As {@link #of(String, int, int)}, of whose tokens only some are embeddings: others separate
   * rows, or name the item.
   *
   * @param embeddings positions within the item, in [0, length); copied
   * @throws IllegalArgumentException if one is outside
   */
  public static MultiModalItem of(String hash, int offset, int length, BitSet embeddings) {
    if (embeddings.length() > length) {
      throw new IllegalArgumentException(
          "embeddings of an item must be in [0, length): hash="
              + hash
              + ", last="
              + (embeddings.length() - 1)
              + ", length="
              + length);
    }
    return new MultiModalItem(
        hash, offset, length, embeddings.cardinality(), (BitSet) embeddings.clone());
  }

  /** As {@link #of(String, int, int)}, which the encoder has nothing to do with. */
  public static MultiModalItem withoutEncoder(String hash, int offset, int length) {
    return new MultiModalItem(hash, offset, length, 0, null);
  }

  /**
   * The same so many tokens further behind.
   *
   * @throws IllegalArgumentException if it would begin before 0, or end behind the longest prompt
   */
  public MultiModalItem shiftedBy(int tokens) {
    return new MultiModalItem(hash, Math.addExact(offset, tokens), length, embeddings, mask);
  }

  /**
   * Requires items to lie one behind the other in a text.
   *
   * @param text what that is, and whose, in words
   */
  static void requireInside(String text, List<MultiModalItem> items, int tokens) {
    int end = 0;
    for (MultiModalItem item : items) {
      if (item.offset() < end || item.end() > tokens) {
        throw new IllegalArgumentException(
            "items must be in order, without overlap, and inside the "
                + text
                + item
                + ", endOfTheOneBefore="
                + end
                + ", tokens="
                + tokens);
      }
      end = item.end();
    }
  }

  /** The name of its content: equal for equal content, different for different content. */
  public String hash() {
    return hash;
  }

  /** Position of its first token in the prompt. */
  public int offset() {
    return offset;
  }

  /** Its tokens. */
  public int length() {
    return length;
  }

  /** Position behind its last token. */
  public int end() {
    return offset + length;
  }

  /** How many of its tokens are embeddings, which the encoder computes; 0 if none. */
  public int embeddings() {
    return embeddings;
  }

  /** Whether the token at {@code index} within the item, in [0, length), is an embedding. */
  public boolean isEmbedding(int index) {
    return mask == null ? embeddings > 0 : mask.get(index);
  }

  /** Whether a token of the prompt in [from, to), limited to the item, is an embedding of it. */
  public boolean hasEmbeddingIn(int from, int to) {
    final int first = Math.max(from, offset) - offset;
    final int end = Math.min(to, end()) - offset;
    if (first >= end) {
      return false;
    }
    final int next = mask == null ? first : mask.nextSetBit(first);
    return embeddings > 0 && next >= 0 && next < end;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MultiModalItem that
        && offset == that.offset
        && length == that.length
        && embeddings == that.embeddings
        && hash.equals(that.hash)
        && Objects.equals(mask, that.mask);
  }

  @Override
  public int hashCode() {
    return 31 * hash.hashCode() + offset;
  }

  @Override
  public String toString() {
    return "MultiModalItem[hash="
        + hash
        + ", offset="
        + offset
        + ", length="
        + length
        + ", embeddings="
        + embeddings
        + "]";
  }
}
