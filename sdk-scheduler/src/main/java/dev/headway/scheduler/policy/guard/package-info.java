/**
 * Isolates the scheduler from faults of policies.
 *
 * <pre>{@code
 * scheduler core ─▶ GuardedPolicies ─▶ Guarded ─▶ a policy
 *                        │                └─ PolicyHealth: time, disabled
 *                        └─ Ranking: candidates by score
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.policy.guard.GuardedPolicies}. Internal: not exported.
 */
@NullMarked
package dev.headway.scheduler.policy.guard;

import org.jspecify.annotations.NullMarked;
