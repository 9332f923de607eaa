package dev.headway.probes.otel.metric;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
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

  void finished(RequestTimeline request, String reason) {
    final boolean success = FinishWords.isSuccess(reason);
    duration
        .labelValues(operation, PROVIDER, model, success ? NO_ERROR : reason)
        .observe(VllmMetrics.seconds(request.endToEndNs()));
    if (!success || request.ttftNs() == ABSENT) {
      return;
    }
    firstToken
        .labelValues(operation, PROVIDER, model)
        .observe(VllmMetrics.seconds(request.ttftNs()));
    if (request.lastTokenNs() != ABSENT && request.finalOutputTokens() > 1) {
      outputToken
          .labelValues(operation, PROVIDER, model)
          .observe(VllmMetrics.secondsPerOutput(request));
    }
  }
}
