/**
 * Spans and metrics of a run: the same records that become CSV, for OpenTelemetry and Prometheus.
 *
 * <pre>{@code
 * engine ─▶ LiveProbe ──┐                    ┌─▶ span.OtelSpans ─▶ export ─▶ OTLP/HTTP, OTLP-JSON
 *                       ├─▶ RecordConsumer ──┤
 * journal ─▶ reader ────┘                    └─▶ metric.Metrics ─▶ text, metric.MetricsEndpoint
 * }</pre>
 *
 * <p>Read {@link dev.headway.probes.otel.span.OtelSpans} and {@link
 * dev.headway.probes.otel.metric.Metrics}; the names that others rely on are in {@code
 * span.SpanNames} and {@code metric.MetricNames}, and nowhere else. A consumer is called by one
 * thread at a time, never the engine's.
 */
@NullMarked
package dev.headway.probes.otel;

import org.jspecify.annotations.NullMarked;
