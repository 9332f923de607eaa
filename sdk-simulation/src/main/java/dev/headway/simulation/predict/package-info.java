/**
 * The latencies of requests of one shape: by formulas over two steps, and by simulating them.
 *
 * <p>{@link dev.headway.simulation.predict.ShapeFormulas} is what can be worked out on paper;
 * {@link dev.headway.simulation.predict.ShapeSimulation} has the queue, prefills beside decodes,
 * and limits.
 */
@NullMarked
package dev.headway.simulation.predict;

import org.jspecify.annotations.NullMarked;
