/**
 * The engine: takes requests from any thread and runs them on one.
 *
 * <pre>{@code
 * HeadwayEngine ── submit, cancel, close: any thread
 *   ├─ Intake          bounded submission queue, cancellations, rejections
 *   │    └─ Backlog    live requests and waiting prompt tokens, bounded
 *   ├─ RequestRules    rejections at submission
 *   ├─ LiveRequests    every LiveRequest: its handle, and the listener that completes the outcome
 *   ├─ EngineDriver    the driving thread: cycles, rests, drains, closes
 *   │    └─ DutyCycle  take in, then a turn of
 *   │         └─ StepRunner  schedule, submit, await and update, with several steps in flight
 *   ├─ EngineEnd       finishes all requests, closes probes and executor
 *   └─ HealthCheck     whether it progresses, and what holds it; StallWatch tells
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.engine.HeadwayEngine}, then {@link
 * dev.headway.scheduler.engine.EngineBuilder}.
 */
@NullMarked
package dev.headway.scheduler.engine;

import org.jspecify.annotations.NullMarked;
