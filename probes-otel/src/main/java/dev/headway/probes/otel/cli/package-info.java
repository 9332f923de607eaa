/** The command lines: {@code headway otlp} and {@code headway metrics}. */
@NullMarked
package dev.headway.probes.otel.cli;

import org.jspecify.annotations.NullMarked;
