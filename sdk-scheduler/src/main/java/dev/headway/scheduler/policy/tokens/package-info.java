/**
 * How many tokens a step has, how prompts share them, and how long that will take.
 *
 * <pre>{@code
 * LinearStepTime ─▶ StepView.estimateNs ─▶ ItlBudget ─▶ EqualProgress
 *  learns from steps                        per step     per prompt
 * }</pre>
 *
 * <p>Engine thread only; O(running) per step; arrays grow with the running requests and stay.
 */
@NullMarked
package dev.headway.scheduler.policy.tokens;

import org.jspecify.annotations.NullMarked;
