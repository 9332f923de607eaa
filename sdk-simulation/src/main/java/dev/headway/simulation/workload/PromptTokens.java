package dev.headway.simulation.workload;

import static dev.headway.api.internal.SplitMix64.GOLDEN_GAMMA;

import dev.headway.api.internal.SplitMix64;

/**
 * Makes the prompt of a {@link WorkloadRequest}: token numbers without text, always the same ones.
 *
 * <p>A prefix block with id {@code b} has at offset {@code j} the token {@code mix64(seed, b, j)}
 * scaled to the vocabulary, in whichever request it appears, so that two prompts share exactly the
 * tokens of their equal leading blocks. Positions behind the blocks come from the request id
 * instead: two requests share nothing there, except by a 64-bit collision of their ids' hashes.
 *
 * <p>Stateless and safe from any thread. A few nanoseconds per token.
 */
public final class PromptTokens {
  private final int vocabularySize;
  private final long blockSeed;
  private final long requestSeed;

  /**
   * Chooses the tokens to draw from.
   *
   * @param vocabularySize tokens are in [0, vocabularySize); at least 2
   * @param seed equal seeds give equal prompts
   */
  public PromptTokens(int vocabularySize, long seed) {
    if (vocabularySize < 2) {
      throw new IllegalArgumentException(
          "vocabularySize must be >= 2: vocabularySize=" + vocabularySize);
    }
    this.vocabularySize = vocabularySize;
    this.blockSeed = SplitMix64.mix(seed + GOLDEN_GAMMA);
    this.requestSeed = SplitMix64.mix(blockSeed + GOLDEN_GAMMA);
  }

  /**
   * Makes the prompt of a request.
   *
   * @param request whose prompt
   * @return a new array of {@code inputTokens} tokens
   */
  public int[] of(WorkloadRequest request) {
    final int[] tokens = new int[request.inputTokens()];
    final int shared = fillBlocks(tokens, request.prefixBlockIds(), request.prefixBlockTokens());
    if (shared < tokens.length) {
      fill(tokens, shared, tokens.length, Mixing.hash64(requestSeed, request.requestId()));
    }
    return tokens;
  }

  private int fillBlocks(int[] tokens, int[] blockIds, int blockTokens) {
    int from = 0;
    for (int id : blockIds) {
      final int to = (int) Math.min(tokens.length, (long) from + blockTokens);
      fill(tokens, from, to, SplitMix64.mix(blockSeed + (id + 1L) * GOLDEN_GAMMA));
      from = to;
    }
    return from;
  }

  private void fill(int[] tokens, int from, int to, long base) {
    long state = base;
    for (int i = from; i < to; i++) {
      state += GOLDEN_GAMMA;
      tokens[i] = Mixing.bounded(SplitMix64.mix(state), vocabularySize);
    }
  }
}
