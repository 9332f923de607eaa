/**
 * Linear regression with bounds, and what a statistician asks of it. Knows nothing of schedulers.
 *
 * <p>Rows are summed into a {@link dev.headway.simulation.regression.Gram}, from which {@link
 * dev.headway.simulation.regression.LeastSquares} solves; {@link
 * dev.headway.simulation.regression.FitQuality} says how good predictions are.
 */
@NullMarked
package dev.headway.simulation.regression;

import org.jspecify.annotations.NullMarked;
