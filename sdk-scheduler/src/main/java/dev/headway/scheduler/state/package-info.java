/**
 * A request as the scheduler keeps it.
 *
 * <p>{@link dev.headway.scheduler.state.RequestState} is shared by the queues and the phases of a
 * step; each field says what changes it. Internal: not exported.
 */
@NullMarked
package dev.headway.scheduler.state;

import org.jspecify.annotations.NullMarked;
