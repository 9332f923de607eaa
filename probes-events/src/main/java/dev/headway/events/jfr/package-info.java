/**
 * What the scheduler does as events of the JDK's Flight Recorder, beside garbage collections,
 * compilations and everything else that a recording has.
 *
 * <pre>{@code
 * Engine ─▶ JfrProbe (a RunProbe) ─▶ RunModel ─▶ JfrListener ─▶ the recorder's events
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.jfr.JfrProbe}; the other classes are the events. Engine thread
 * only. An event that no recording wants costs a test of a flag and is not made.
 */
@NullMarked
package dev.headway.events.jfr;

import org.jspecify.annotations.NullMarked;
