package dev.headway.probes.otel.metric;

/** Whose names of metrics a scrape carries beside OpenTelemetry's and ours. */
public enum MetricsCompat {

  /** vLLM's. */
  VLLM,

  /** SGLang's beside vLLM's. */
  SGLANG
}
