/**
 * One step: its plan and its output.
 *
 * <pre>{@code
 * StepPlan    entries: tokens, drafts among them, blocks of each group
 *             blocks to save, to load, to zero, then to copy, before it runs
 *             requests preempted and ended since the previous plan
 * StepOutput  tokens of each entry, their log-probabilities, drafts, failures, times
 *
 * StepPlan ─▶ StepFeatures ─▶ LatencyModel     what a step costs
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.step.StepPlan}, then {@link dev.headway.api.step.StepOutput}. Both
 * are reused and hold primitive arrays; with several steps in flight there is one plan for each.
 */
@NullMarked
package dev.headway.api.step;

import org.jspecify.annotations.NullMarked;
