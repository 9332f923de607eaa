package dev.headway.simulation.fleet;

/** Names of the full blocks of a prompt: each depends on all tokens up to its end. Stateless. */
final class PromptChain {

  private PromptChain() {}

  /** Names of the full blocks, in order; none is 0. */
  static long[] of(int[] tokens, int blockSize) {
    final long[] names = new long[tokens.length / blockSize];
    long hash = 0;
    for (int block = 0; block < names.length; block++) {
      for (int i = block * blockSize; i < (block + 1) * blockSize; i++) {
        hash = (hash ^ tokens[i]) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 29;
      }
      hash = (hash + block + 1) * 0xBF58476D1CE4E5B9L;
      names[block] = hash == 0 ? 1 : hash;
    }
    return names;
  }
}
