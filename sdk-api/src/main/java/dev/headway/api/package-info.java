/**
 * The contracts of Headway, by subject.
 *
 * <pre>{@code
 * engine     submit, tokens, outcomes        policy     decisions that can be replaced
 * request    what is submitted               probe      every decision, as events
 * schedule   the scheduler                   config     limits and options
 * step       its plans and their outputs     time       the clock
 * kvcache    the blocks                      executor   what runs the model
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.engine.Engine} and {@link dev.headway.api.executor.Executor} to
 * serve a model, {@link dev.headway.api.probe.Probe} to observe.
 */
@NullMarked
package dev.headway.api;

import org.jspecify.annotations.NullMarked;
