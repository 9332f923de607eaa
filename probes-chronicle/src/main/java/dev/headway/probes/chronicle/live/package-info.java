/**
 * Records on their way from a running engine to a {@link
 * dev.headway.probes.chronicle.live.RecordConsumer}, without a journal in between.
 */
@NullMarked
package dev.headway.probes.chronicle.live;

import org.jspecify.annotations.NullMarked;
