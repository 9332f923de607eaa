/**
 * The orders in which requests wait and give way.
 *
 * <p>A {@link dev.headway.scheduler.queue.WaitingQueue} says who is admitted next, a {@link
 * dev.headway.scheduler.queue.VictimRule} who gives way. No operation looks at the whole queue.
 * Internal: not exported.
 */
@NullMarked
package dev.headway.scheduler.queue;

import org.jspecify.annotations.NullMarked;
