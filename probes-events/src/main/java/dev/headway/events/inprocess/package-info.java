/**
 * Run model on the engine thread, live: a probe that drives it without serialisation and without
 * another thread.
 *
 * <pre>{@code
 * Engine ─▶ RunProbe ─▶ RunModel ─▶ RunListener (yours)
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.inprocess.RunProbe}. Run a listener that is slow or may block
 * behind {@link dev.headway.events.live.LiveProbe}, on a separate thread.
 */
@NullMarked
package dev.headway.events.inprocess;

import org.jspecify.annotations.NullMarked;
