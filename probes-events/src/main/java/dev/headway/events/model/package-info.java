/**
 * The model of a run: the history of its requests and steps, derived from the records once for all
 * outputs. Two layers, stamp and account:
 *
 * <pre>{@code
 * RunModel ─▶ DecisionStamper: when each decision takes effect
 *     │  └──▶ RequestTracker: requests through their phases, as decisions take effect
 *     │  └──▶ StepTracker: steps from plan to completion, and the ends of their requests
 *     │  └──▶ WaitAccounting, WaitCounts: waits by cause, if a listener asks
 *     ▼
 *     RunTimeline, RequestTimeline, StepTimeline, QueueSums: phases, instants, tokens, blocks
 *                 ▼
 *     RunListener = RequestListener + StepListener;  WaitListener
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.model.RunModel}, then {@link
 * dev.headway.events.model.RunListener}, then {@link dev.headway.events.model.RequestTimeline}.
 *
 * <p>One thread: a reader's, or the engine's behind {@code dev.headway.events.inprocess.RunProbe}.
 * Memory is bounded by live requests and steps in flight. Work is proportional to what changes:
 * nothing here visits every waiting request in every step. Nothing here writes a file.
 */
@NullMarked
package dev.headway.events.model;

import org.jspecify.annotations.NullMarked;
