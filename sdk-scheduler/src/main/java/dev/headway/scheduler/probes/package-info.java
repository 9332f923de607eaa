/**
 * Finding probes by name, and keeping the step safe from them.
 *
 * <p>{@link dev.headway.scheduler.probes.ProbeLoader} asks the ServiceLoader; {@link
 * dev.headway.scheduler.probes.ProbeDispatcher} is the one probe of the scheduler. Internal: not
 * exported.
 */
@NullMarked
package dev.headway.scheduler.probes;

import org.jspecify.annotations.NullMarked;
