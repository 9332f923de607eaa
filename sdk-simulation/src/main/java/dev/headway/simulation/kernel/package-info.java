/**
 * Operator times from measured kernels.
 *
 * <p>{@link dev.headway.simulation.kernel.LayerProfile} reads profiles of one model's layers, as
 * LLMServingSim publishes them; {@link dev.headway.simulation.kernel.KernelDatabase} kernels for
 * any model, as aiconfigurator does. {@link dev.headway.simulation.kernel.GridTable} interpolates.
 */
@NullMarked
package dev.headway.simulation.kernel;

import org.jspecify.annotations.NullMarked;
