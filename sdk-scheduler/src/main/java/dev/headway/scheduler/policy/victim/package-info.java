/**
 * Which running request is preempted when KV blocks run out.
 *
 * <p>{@link dev.headway.scheduler.policy.victim.VictimBy} takes the first of an order of the
 * running requests. The needy request is one of them: it is preempted itself if it comes first. No
 * state, no allocation, O(running) per call.
 *
 * <p>What a preemption costs is measured in vLLM RFC #54644: the choice of the victim decides about
 * half of the tokens computed twice.
 */
@NullMarked
package dev.headway.scheduler.policy.victim;

import org.jspecify.annotations.NullMarked;
