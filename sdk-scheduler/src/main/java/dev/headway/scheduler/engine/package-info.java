/**
 * The engine: takes requests from any thread and runs them on one.
 *
 * <pre>{@code
 * HeadwayEngine ── submit, cancel, close: any thread
 *   ├─ Intake          bounded submission queue, cancellations, rejections
 *   ├─ RequestRules    what is refused at submission
 *   └─ DutyCycle       engine thread: take in, schedule, execute, update
 * }</pre>
 *
 * <p>Read {@link dev.headway.scheduler.engine.HeadwayEngine}, then {@link
 * dev.headway.scheduler.engine.EngineBuilder}.
 */
@NullMarked
package dev.headway.scheduler.engine;

import org.jspecify.annotations.NullMarked;
