package dev.headway.probes.otel.metric;

import static dev.headway.probes.otel.metric.MetricNames.ENGINE;
import static dev.headway.probes.otel.metric.MetricNames.MODEL_NAME;

import io.prometheus.metrics.core.metrics.Gauge;
import java.util.Map;

/** The limits that may change while the engine runs, as they are now; 0 for none. One thread. */
final class LimitGauges {

  /** As the start record names them, and as the label does. */
  private static final Map<String, String> LIMITS =
      Map.of(
          "maxNumActiveSeqs", "max_num_active_seqs",
          "maxNumScheduledTokens", "max_num_scheduled_tokens",
          "longPrefillTokenThreshold", "long_prefill_token_threshold",
          "maxNumPartialPrefills", "max_num_partial_prefills",
          "maxLongPartialPrefills", "max_long_partial_prefills",
          "maxNumQueuedReqs", "max_num_queued_reqs",
          "maxNumQueuedTokens", "max_num_queued_tokens",
          "watermark", "watermark");

  private final Gauge gauge;
  private final String model;
  private final String engine;

  LimitGauges(Families families, String model, String engine) {
    this.model = model;
    this.engine = engine;
    gauge =
        families.gauge(
            MetricNames.LIMITS,
            "Limits that may change while the engine runs, 0 for none of its own.",
            MODEL_NAME,
            ENGINE,
            MetricNames.LIMIT);
  }

  /** Shows the limits among the settings of a run. */
  void show(Map<String, String> config) {
    LIMITS.forEach(
        (name, label) ->
            gauge
                .labelValues(model, engine, label)
                .set(Double.parseDouble(config.getOrDefault(name, "0"))));
  }
}
