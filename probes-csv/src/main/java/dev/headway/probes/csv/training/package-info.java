/**
 * Training rows for a performance model: alpha, how long a request waits until it is scheduled, and
 * beta, how long a step takes. Features are what was known at the time; what was not is marked.
 *
 * <p>Read {@link dev.headway.probes.csv.training.TrainingExport}, then the columns in {@code
 * AlphaColumns}, {@code BetaColumns} and {@code EgressColumns}.
 */
@NullMarked
package dev.headway.probes.csv.training;

import org.jspecify.annotations.NullMarked;
