/** Spans of OpenTelemetry, metrics of Prometheus and meters of Micrometer. */
@SuppressWarnings({
  "requires-automatic",
  "requires-transitive-automatic"
}) // each has a name of its own
module dev.headway.probes.otel {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires transitive io.opentelemetry.api;
  requires transitive io.opentelemetry.sdk.common;
  requires transitive io.opentelemetry.sdk.trace;
  requires transitive io.prometheus.metrics.model;
  requires io.opentelemetry.exporter.otlp;
  requires io.prometheus.metrics.core;
  requires io.prometheus.writer.text;
  requires jdk.httpserver;
  requires static micrometer.core;
  requires static org.jspecify;
  requires org.slf4j;
  requires tools.jackson.core;

  exports dev.headway.probes.otel.export;
  exports dev.headway.probes.otel.metric;
  exports dev.headway.probes.otel.span;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.probes.otel.live.OtlpProbeProvider,
      dev.headway.probes.otel.live.PrometheusProbeProvider;
}
