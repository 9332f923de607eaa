/**
 * Step times and queueing learned from recorded runs.
 *
 * <p>{@link dev.headway.simulation.fit.RecordedSteps} reads rows and leaves out what says nothing;
 * {@link dev.headway.simulation.fit.StepTimeFit} fits the forward pass and the host's part apart
 * and says how good they are on later steps; the {@link dev.headway.simulation.fit.FittedStepTime}
 * drives a simulation, on the recorded device or on another. {@link
 * dev.headway.simulation.fit.PerformanceModelFile} keeps all of it as JSON.
 */
@NullMarked
package dev.headway.simulation.fit;

import org.jspecify.annotations.NullMarked;
