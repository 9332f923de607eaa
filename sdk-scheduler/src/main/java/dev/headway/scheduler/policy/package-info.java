/**
 * Finds policies by name and puts them together.
 *
 * <pre>{@code
 * "vtc(wq=2)+least-computed" ─▶ PolicySpec ─▶ PolicyLoader ─▶ Policies
 *                                                │
 *                              BuiltInPolicies, PolicyOptions
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.policy.PolicyLoader}. The policies themselves are in the
 * packages below, by the decision they make: {@code order}, {@code victim}, {@code capacity},
 * {@code tokens}; {@link dev.headway.scheduler.policy.BuiltInPolicies} names them. {@code guard}
 * isolates the scheduler from all of them.
 */
@NullMarked
package dev.headway.scheduler.policy;

import org.jspecify.annotations.NullMarked;
