/**
 * Decisions that can be replaced, each a small interface.
 *
 * <pre>{@code
 * QueueOrder ─▶ AdmissionGate ─▶ CapacityPolicy     who is admitted
 * TokenBudget ─▶ ChunkPolicy                        how many tokens
 * VictimPolicy                                      who gives way
 * ServiceLedger, StepTimeModel                      what they may remember
 * }</pre>
 *
 * <p>Policies rank, size and refuse; the scheduler owns correctness. They are called on the engine
 * thread inside a step: they must not block, must not keep a view after they return, and should not
 * allocate. One that throws, or answers what cannot be, is counted and the default decides instead;
 * the run goes on. Without policies nothing here is called.
 *
 * <p>Read {@link dev.headway.api.policy.Policies}, which holds the others, then {@link
 * dev.headway.api.policy.StepView}; {@link dev.headway.api.policy.PolicyProvider} gives a policy
 * its name. {@code PolicyContract} in {@code headway-scheduler} tests what is written here.
 */
@NullMarked
package dev.headway.api.policy;

import org.jspecify.annotations.NullMarked;
