/**
 * The one source of time.
 *
 * <p>Read {@link dev.headway.api.time.NanoClock}, then {@link dev.headway.api.time.ClockAnchor}. An
 * engine has exactly one clock; every instant in plans, probes and journals is nanoseconds of that
 * clock, counted from its origin. Nothing in a step reads the wall clock.
 */
@NullMarked
package dev.headway.api.time;

import org.jspecify.annotations.NullMarked;
