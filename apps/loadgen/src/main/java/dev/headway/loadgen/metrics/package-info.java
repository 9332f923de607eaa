/** Figures of a run, by the formulas of {@code vllm bench serve}. */
@NullMarked
package dev.headway.loadgen.metrics;

import org.jspecify.annotations.NullMarked;
