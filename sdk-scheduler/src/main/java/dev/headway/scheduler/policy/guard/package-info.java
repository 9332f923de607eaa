/**
 * Stands between the scheduler and policies, so that none of them can do harm.
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
