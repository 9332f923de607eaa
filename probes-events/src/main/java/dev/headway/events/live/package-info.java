/**
 * Records on their way from a running engine to a {@link dev.headway.events.live.RecordConsumer},
 * without a journal in between.
 */
@NullMarked
package dev.headway.events.live;

import org.jspecify.annotations.NullMarked;
