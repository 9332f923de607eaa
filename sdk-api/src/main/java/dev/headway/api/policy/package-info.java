/**
 * Decisions that can be replaced, each a small interface.
 *
 * <pre>{@code
 * QueueOrder ─▶ AdmissionGate ─▶ CapacityPolicy     which requests are admitted
 * TokenBudget ─▶ ChunkPolicy                        how many tokens
 * VictimPolicy                                      which request is preempted
 * ServiceLedger, StepTimeModel                      state kept across steps
 * }</pre>
 *
 * <p>Policies rank, size and refuse; the scheduler owns correctness. They are called on the engine
 * thread inside a step: they must not block, must not keep a view after they return, and should not
 * allocate. A failure (an exception or an invalid result) is counted and the default decision is
 * taken; the run continues. Without policies nothing here is called.
 *
 * <p>Read {@link dev.headway.api.policy.Policies}, which holds the others, then {@link
 * dev.headway.api.policy.StepView}; {@link dev.headway.api.policy.PolicyProvider} gives a policy
 * its name. {@code PolicyContract} in {@code headway-testkit} tests what is written here.
 */
@NullMarked
package dev.headway.api.policy;

import org.jspecify.annotations.NullMarked;
