/**
 * Two runs of the same load against each other: one that was measured and one that was simulated.
 *
 * <p>{@link dev.headway.simulation.calibrate.TimedRequests} reads either; {@link
 * dev.headway.simulation.calibrate.Calibration} matches them and says how far off the simulation
 * is, and in which term.
 */
@NullMarked
package dev.headway.simulation.calibrate;

import org.jspecify.annotations.NullMarked;
