package dev.headway.probes.otel.metric;

import org.jspecify.annotations.Nullable;

/**
 * Options of metrics.
 *
 * @param modelName label {@code model_name}; null takes the run attribute {@code model}, or else
 *     {@code unknown}
 * @param engine label {@code engine}; vLLM numbers its engines from 0
 * @param operationName {@code gen_ai.operation.name}, such as {@code chat}
 * @param compat whose names the engine's metrics have
 */
public record MetricsOptions(
    @Nullable String modelName, String engine, String operationName, MetricsCompat compat) {

  /** Engine 0, text completion, the model's name from the run, vLLM's names. */
  public static MetricsOptions defaults() {
    return new MetricsOptions(null, "0", "text_completion", MetricsCompat.VLLM);
  }

  /** Returns this for a model. */
  public MetricsOptions withModelName(@Nullable String name) {
    return new MetricsOptions(name, engine, operationName, compat);
  }

  /** Returns this for an engine. */
  public MetricsOptions withEngine(String label) {
    return new MetricsOptions(modelName, label, operationName, compat);
  }

  /** Returns this with the names of {@code names}. */
  public MetricsOptions withCompat(MetricsCompat names) {
    return new MetricsOptions(modelName, engine, operationName, names);
  }
}
