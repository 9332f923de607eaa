/**
 * Probes: observing every scheduling decision at the point where it is made.
 *
 * <pre>{@code
 * queued ─▶ blocked* ─▶ admitted ─▶ (planned ─▶ first token ─▶ step completed)* ─▶ finished
 *               ▲                        │
 *               └────── preempted ◀──────┘
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.probe.Probe}, then {@link dev.headway.api.probe.ProbeProvider},
 * the ServiceLoader interface. Methods run on the engine thread inside the step; a probe that
 * throws is detached and counted, and the step continues.
 *
 * <p>Each event is one reused view. Decisions inside scheduling have a step and no instant: they
 * take effect together when scheduling ends, at the instant of the {@link
 * dev.headway.api.probe.PlannedEvent} right after them. {@link
 * dev.headway.api.probe.SchedulerEvents} has the methods that a scheduler calls to notify a probe.
 */
@NullMarked
package dev.headway.api.probe;

import org.jspecify.annotations.NullMarked;
