/**
 * Scheduler events for the JDK Flight Recorder, in the same recording as garbage collections and
 * compilations.
 *
 * <pre>{@code
 * Engine ─▶ JfrProbe (a RunProbe) ─▶ RunModel ─▶ JfrListener ─▶ the recorder's events
 * }</pre>
 *
 * <p>Read {@link dev.headway.events.jfr.JfrProbe}; the other classes are the events. Engine thread
 * only. An event that no recording has enabled costs the test of a flag and is not created.
 */
@NullMarked
package dev.headway.events.jfr;

import org.jspecify.annotations.NullMarked;
