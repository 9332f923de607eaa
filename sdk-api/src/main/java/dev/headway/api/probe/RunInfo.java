package dev.headway.api.probe;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.ClockAnchor;
import java.util.Map;

/**
 * Description of a run, fixed before its first step.
 *
 * @param headwayVersion version of the library
 * @param config the scheduler's settings
 * @param kvCache size of the KV cache
 * @param executor the executor's name
 * @param anchor ties the run's clock to calendar time
 * @param virtualTime whether time is simulated
 * @param attributes labels of the embedder, recorded in files: model, hardware, seed; copied
 */
public record RunInfo(
    String headwayVersion,
    SchedulerConfig config,
    KvCacheShape kvCache,
    String executor,
    ClockAnchor anchor,
    boolean virtualTime,
    Map<String, String> attributes) {

  /** Copies the attributes. */
  public RunInfo {
    attributes = Map.copyOf(attributes);
  }
}
