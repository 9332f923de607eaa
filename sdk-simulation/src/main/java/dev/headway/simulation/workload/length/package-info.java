/**
 * How long prompts and outputs are: distributions of token counts.
 *
 * <p>Read {@link dev.headway.simulation.workload.length.LengthDistribution}. Distributions are
 * immutable and safe from any thread. All arithmetic is strict, so that a seed means the same
 * lengths on every JDK and processor.
 */
@NullMarked
package dev.headway.simulation.workload.length;

import org.jspecify.annotations.NullMarked;
