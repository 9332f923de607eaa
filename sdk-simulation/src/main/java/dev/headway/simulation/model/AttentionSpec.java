package dev.headway.simulation.model;

/** The attention of every layer. Components are those of the whole model, not of one device. */
public sealed interface AttentionSpec {

  /** Query heads. */
  int heads();

  /** Numbers that a token leaves in the KV cache of a layer, both keys and values. */
  int kvNumbersPerToken();

  /** Multiply-adds of one query token with one token of context, over all heads. */
  long multiplyAddsPerPair();

  /** Parameters of a layer's projections, for a residual stream of {@code hiddenSize}. */
  long parameters(int hiddenSize);

  /**
   * Multi-head, grouped-query or multi-query attention.
   *
   * @param heads query heads
   * @param kvHeads heads of keys and values; divides {@code heads}
   * @param headDim width of a head
   */
  record Grouped(int heads, int kvHeads, int headDim) implements AttentionSpec {

    /** Validates the components. */
    public Grouped {
      requirePositive("heads", heads);
      requirePositive("kvHeads", kvHeads);
      requirePositive("headDim", headDim);
      if (heads % kvHeads != 0) {
        throw new IllegalArgumentException(
            "kvHeads must divide heads: heads=" + heads + ", kvHeads=" + kvHeads);
      }
    }

    @Override
    public int kvNumbersPerToken() {
      return 2 * kvHeads * headDim;
    }

    @Override
    public long multiplyAddsPerPair() {
      return 2L * heads * headDim;
    }

    @Override
    public long parameters(int hiddenSize) {
      return (long) hiddenSize * headDim * (2 * heads + 2 * kvHeads);
    }
  }

  /**
   * Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): the cache holds one latent vector
   * and one rotary key per token. Attention runs on the latent vectors, with the up-projections
   * absorbed into queries and outputs.
   *
   * @param heads query heads
   * @param queryRank width of the compressed queries; 0 if queries are not compressed
   * @param kvRank width of the latent vector
   * @param nopeDim width of a head without rotary embedding
   * @param ropeDim width of the rotary key
   * @param valueDim width of a head's values
   */
  record Latent(int heads, int queryRank, int kvRank, int nopeDim, int ropeDim, int valueDim)
      implements AttentionSpec {

    /** Validates the components. */
    public Latent {
      requirePositive("heads", heads);
      requirePositive("kvRank", kvRank);
      requirePositive("nopeDim", nopeDim);
      requirePositive("ropeDim", ropeDim);
      requirePositive("valueDim", valueDim);
      if (queryRank < 0) {
        throw new IllegalArgumentException("queryRank must be >= 0: queryRank=" + queryRank);
      }
    }

    @Override
    public int kvNumbersPerToken() {
      return kvRank + ropeDim;
    }

    @Override
    public long multiplyAddsPerPair() {
      return (long) heads * (2 * kvRank + ropeDim);
    }

    @Override
    public long parameters(int hiddenSize) {
      final long queries =
          queryRank == 0
              ? (long) hiddenSize * heads * (nopeDim + ropeDim)
              : (long) queryRank * (hiddenSize + (long) heads * (nopeDim + ropeDim));
      final long down = (long) hiddenSize * (kvRank + ropeDim);
      final long up = (long) kvRank * heads * (nopeDim + valueDim);
      return queries + down + up + (long) heads * valueDim * hiddenSize;
    }
  }

  private static void requirePositive(String name, int value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be > 0: " + name + "=" + value);
    }
  }
}
