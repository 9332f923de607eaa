/**
 * What the scheduler does as events of the JDK's Flight Recorder, beside garbage collections,
 * compilations and everything else that a recording has.
 *
 * <p>Read {@link dev.headway.scheduler.jfr.JfrProbe}; the other classes are the events. Engine
 * thread only. An event that no recording wants costs a test of a flag and allocates nothing.
 */
@NullMarked
package dev.headway.scheduler.jfr;

import org.jspecify.annotations.NullMarked;
