package dev.headway.examples.replay;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LatencyModel;

/**
 * The engine of a simulation.
 *
 * @param config the scheduler's settings
 * @param kvCache size of the KV cache
 * @param latency how long steps take
 * @param seed of prompts and tokens
 */
public record EngineSettings(
    SchedulerConfig config, KvCacheShape kvCache, LatencyModel latency, long seed) {

  /** Token ids are below this: Llama 3.1's vocabulary. */
  static final int VOCABULARY_SIZE = 128_256;
}
