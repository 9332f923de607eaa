/**
 * How long steps take, from what a model computes and what a device can do.
 *
 * <p>{@link dev.headway.simulation.step.ForwardPassTime} adds up the operators of a {@link
 * dev.headway.simulation.model.ForwardPass}; an {@link dev.headway.simulation.step.OperatorTimes}
 * says what each takes. {@link dev.headway.simulation.step.Roofline} is the one that needs no
 * measurements. {@link dev.headway.simulation.step.DeviceMemory} says how many KV blocks fit.
 */
@NullMarked
package dev.headway.simulation.step;

import org.jspecify.annotations.NullMarked;
