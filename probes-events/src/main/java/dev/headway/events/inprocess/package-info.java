/**
 * What happened to requests, on the engine's own thread while it happens: a probe that drives the
 * run model without bytes and without another thread.
 *
 * <pre>{@code
 * Engine ─▶ RunProbe ─▶ RunModel ─▶ RunListener (yours)
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.inprocess.RunProbe}. A listener that takes long, or may block,
 * belongs behind {@link dev.headway.events.live.LiveProbe}, on a thread of its own.
 */
@NullMarked
package dev.headway.events.inprocess;

import org.jspecify.annotations.NullMarked;
