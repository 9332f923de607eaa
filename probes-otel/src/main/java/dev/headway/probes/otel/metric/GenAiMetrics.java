package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.probes.otel.run.FinishWords;
import io.prometheus.metrics.core.metrics.Histogram;

/** OpenTelemetry's metrics of a generative AI server. One thread writes. */
final class GenAiMetrics {

  /** {@code gen_ai.provider.name}: the engine that serves the model. */
  private static final String PROVIDER = "headway";

  private static final String NO_ERROR = "";

  private final String operation;
  private final String model;
  private final Histogram firstToken;
  private final Histogram outputToken;
  private final Histogram duration;

  GenAiMetrics(Families families, String operation, String model) {
    this.operation = operation;
    this.model = model;
    firstToken =
        families.histogram(
            MetricNames.GEN_AI_FIRST_TOKEN,
            "Queue and prefill of successful requests.",
            Buckets.genAiFirstToken(),
            MetricNames.OPERATION_NAME,
            MetricNames.PROVIDER_NAME,
            MetricNames.REQUEST_MODEL);
    outputToken =
        families.histogram(
            MetricNames.GEN_AI_OUTPUT_TOKEN,
            "Mean time of a token after the first, of successful requests.",
            Buckets.genAiToken(),
            MetricNames.OPERATION_NAME,
            MetricNames.PROVIDER_NAME,
            MetricNames.REQUEST_MODEL);
    duration =
        families.histogram(
            MetricNames.GEN_AI_DURATION,
            "From arrival to the end; error_type is empty for success.",
            Buckets.genAiRequest(),
            MetricNames.OPERATION_NAME,
            MetricNames.PROVIDER_NAME,
            MetricNames.REQUEST_MODEL,
            MetricNames.ERROR_TYPE);
    firstToken.labelValues(operation, PROVIDER, model);
    outputToken.labelValues(operation, PROVIDER, model);
    duration.labelValues(operation, PROVIDER, model, NO_ERROR);
  }

  void finished(RequestMeter request, String reason, long endNs) {
    final boolean success = FinishWords.isSuccess(reason);
    final long arrivalNs = request.request.arrivalNs();
    duration
        .labelValues(operation, PROVIDER, model, success ? NO_ERROR : reason)
        .observe(VllmMetrics.seconds(arrivalNs, endNs));
    final long firstNs = request.firstTokenNs;
    if (!success || firstNs == ABSENT) {
      return;
    }
    firstToken
        .labelValues(operation, PROVIDER, model)
        .observe(VllmMetrics.seconds(arrivalNs, firstNs));
    final long lastNs = request.progress.lastTokenNs();
    final int outputs = request.outputTokens();
    if (lastNs != ABSENT && outputs > 1) {
      outputToken
          .labelValues(operation, PROVIDER, model)
          .observe(VllmMetrics.seconds(firstNs, lastNs) / (outputs - 1));
    }
  }
}
