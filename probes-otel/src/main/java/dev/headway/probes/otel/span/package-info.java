/**
 * Spans of requests and of steps, as vLLM's journey tracing names them and with what its events
 * leave out: why a request waits, what a preemption cost, where a step's time went.
 *
 * <pre>
 * llm_request            api.ARRIVED … api.DEPARTED            if the server reports journeys
 * └ llm_core             journey.QUEUED … journey.FINISHED     one per request
 * scheduler_steps_1      step.BATCH_SUMMARY, step.REQUEST_SNAPSHOT
 * </pre>
 *
 * <p>Read {@link dev.headway.probes.otel.span.OtelSpans}, then {@code RunSpans} and {@code
 * StepSpans}. A span is made when it ends: its events wait as small records until then, so that
 * what happened to a request decides whether it is exported.
 */
@NullMarked
package dev.headway.probes.otel.span;

import org.jspecify.annotations.NullMarked;
