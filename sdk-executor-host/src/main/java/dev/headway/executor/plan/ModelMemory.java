package dev.headway.executor.plan;

import dev.headway.executor.model.ModelConfig;

/**
 * Memory that an executor takes for a model, beside what its steps need.
 *
 * @param weightBytes the weights as the executor holds them
 * @param kvElementBytes bytes of an element of a key or value
 */
public record ModelMemory(long weightBytes, int kvElementBytes) {

  /**
   * KV of a request, in whole blocks.
   *
   * @param tokens of the request, >= 1
   * @param blockSize tokens per block, >= 1
   */
  public long kvBytes(ModelConfig config, int tokens, int blockSize) {
    final long blocks = Math.ceilDiv((long) tokens, blockSize);
    return blocks * blockSize * kvElementBytes * config.kvElementsPerToken();
  }
}
