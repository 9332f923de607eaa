package dev.headway.executor.model;

/**
 * Shape of the attention of every layer. Query head {@code h} attends with key/value head {@code h
 * / (heads / kvHeads)}.
 *
 * @param heads query heads, a multiple of {@code kvHeads}
 * @param kvHeads key/value heads, >= 1
 * @param headDim elements per head, even: the rotary embedding turns pairs
 */
public record AttentionShape(int heads, int kvHeads, int headDim) {

  /** Validates the components. */
  public AttentionShape {
    if (kvHeads < 1 || heads < kvHeads || heads % kvHeads != 0) {
      throw new IllegalArgumentException(
          "heads must be a multiple of kvHeads, both >= 1: heads="
              + heads
              + ", kvHeads="
              + kvHeads);
    }
    if (headDim < 2 || headDim % 2 != 0) {
      throw new IllegalArgumentException("headDim must be even and >= 2: headDim=" + headDim);
    }
    if ((long) heads * headDim > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "heads * headDim must be <= 2147483647: heads=" + heads + ", headDim=" + headDim);
    }
  }

  /** Elements of all query heads of a token. */
  public int queryDim() {
    return heads * headDim;
  }

  /** Elements of all key heads of a token; as many are values. */
  public int kvDim() {
    return kvHeads * headDim;
  }

  /** Query heads that share a key/value head. */
  public int queriesPerKv() {
    return heads / kvHeads;
  }
}
