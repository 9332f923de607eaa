/**
 * Prometheus metrics of a run: vLLM's under its own names, so that its dashboards and alerts work,
 * OpenTelemetry's three of generative AI servers, ours for what neither has, and SGLang's where
 * asked for.
 *
 * <p>Read {@link dev.headway.probes.otel.metric.Metrics}, then {@code RunMetrics}. Everything is
 * counted from records. The records' thread writes; scrapes read from any thread. {@link
 * dev.headway.probes.otel.metric.HeadwayMeters} binds the main figures to a Micrometer registry.
 */
@NullMarked
package dev.headway.probes.otel.metric;

import org.jspecify.annotations.NullMarked;
