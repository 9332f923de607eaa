package dev.headway.api.policy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import java.util.Map;

/**
 * Input to {@link PolicyProvider#create}.
 *
 * @param config the scheduler's settings
 * @param kvCache size of the KV cache
 * @param options the options given for this policy in the engine's builder, by name; copied
 */
public record PolicyContext(
    SchedulerConfig config, KvCacheShape kvCache, Map<String, String> options) {

  /** Copies the options. */
  public PolicyContext {
    options = Map.copyOf(options);
  }
}
