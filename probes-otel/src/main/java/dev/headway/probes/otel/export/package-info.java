/**
 * Ways for finished spans to leave: OTLP over HTTP, OTLP as lines of JSON, or your own exporter.
 * Failures stay here and are counted.
 */
@NullMarked
package dev.headway.probes.otel.export;

import org.jspecify.annotations.NullMarked;
