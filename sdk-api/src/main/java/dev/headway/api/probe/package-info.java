/**
 * Hearing everything the scheduler decides, where it is decided.
 *
 * <pre>{@code
 * queued ─▶ blocked* ─▶ admitted ─▶ (planned ─▶ first token ─▶ step completed)* ─▶ finished
 *               ▲                        │
 *               └────── preempted ◀──────┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.probe.Probe}, then {@link dev.headway.api.probe.ProbeProvider},
 * the ServiceLoader face. Methods run on the engine thread inside the step; a probe that throws is
 * detached and counted and the step goes on.
 *
 * <p>Events inside scheduling carry the step and no instant: they take effect together when the
 * plan's scheduling ends, at {@code StepPlan.endNs}, which {@code onPlanned} brings right after
 * them.
 */
@NullMarked
package dev.headway.api.probe;

import org.jspecify.annotations.NullMarked;
