/**
 * Step times learned from recorded steps.
 *
 * <p>{@link dev.headway.simulation.fit.TrainingSteps} reads rows and leaves out what says nothing;
 * {@link dev.headway.simulation.fit.StepTimeFit} fits a {@link
 * dev.headway.simulation.fit.StepTimeModel} and says how good it is on later steps; the model
 * drives a simulation and is saved as JSON.
 */
@NullMarked
package dev.headway.simulation.fit;

import org.jspecify.annotations.NullMarked;
