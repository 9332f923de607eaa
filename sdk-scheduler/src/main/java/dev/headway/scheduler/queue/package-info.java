/**
 * The orders in which requests wait and give way.
 *
 * <p>An {@link dev.headway.scheduler.queue.AdmissionQueue} says who is considered next, a {@link
 * dev.headway.scheduler.queue.VictimRule} who gives way. No operation looks at the whole queue.
 * Internal: not exported.
 */
@NullMarked
package dev.headway.scheduler.queue;

import org.jspecify.annotations.NullMarked;
