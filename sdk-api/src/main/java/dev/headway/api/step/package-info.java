/**
 * One iteration: what is to be computed, and what came of it.
 *
 * <p>Read {@link dev.headway.api.step.StepPlan}, then {@link dev.headway.api.step.StepOutput}. Both
 * are reused from step to step and hold primitive arrays.
 */
@NullMarked
package dev.headway.api.step;

import org.jspecify.annotations.NullMarked;
