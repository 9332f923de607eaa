/**
 * A model that takes time and makes tokens up.
 *
 * <p>{@link dev.headway.scheduler.sim.SimulatedExecutor} with a virtual clock turns the engine into
 * a simulator, with the machine's clock into a stand-in for a model. It holds as many steps as its
 * shape says, verifies and proposes draft tokens, and makes the same tokens however they are
 * batched. A {@link dev.headway.api.step.LatencyModel} says how long a step takes; {@link
 * dev.headway.scheduler.sim.LinearLatencyModel} is one with measured coefficients.
 */
@NullMarked
package dev.headway.scheduler.sim;

import org.jspecify.annotations.NullMarked;
