/** Spans and metrics of an engine that is running: probes {@code otlp} and {@code prometheus}. */
@NullMarked
package dev.headway.probes.otel.live;

import org.jspecify.annotations.NullMarked;
