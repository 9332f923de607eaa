package dev.headway.executor.plan;

import dev.headway.api.kvcache.KvGroup;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.ModelConfig;

/**
 * Memory that an executor takes for a model, beside what its steps need.
 *
 * @param weightBytes the weights as the executor holds them
 * @param kvElementBytes bytes of an element of a key or value
 */
public record ModelMemory(long weightBytes, int kvElementBytes) {

  /**
   * KV of a request, in whole blocks, while it decodes: what left the windows of its layers is not
   * held any more.
   *
   * @param tokens of the request, >= 1
   * @param blockSize tokens per block, >= 1
   */
  public long kvBytes(ModelConfig config, int tokens, int blockSize) {
    final KvLayers layers = KvLayers.of(config);
    long blocks = 0;
    for (KvGroup group : layers.kvGroups(blockSize)) {
      blocks += group.blocksToHold(tokens, 1, config.maxPositions());
    }
    return blocks * blockSize * kvElementBytes * layers.elementsPerToken(config.attention());
  }
}
