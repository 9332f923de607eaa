/**
 * The clocks: {@link dev.headway.scheduler.time.SystemNanoClock} for serving, {@link
 * dev.headway.scheduler.time.VirtualClock} for simulation and tests.
 */
@NullMarked
package dev.headway.scheduler.time;

import org.jspecify.annotations.NullMarked;
