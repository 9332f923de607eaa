/**
 * What readers know of the reasons of waits: {@link dev.headway.events.reason.WaitReasonTable}, the
 * one place that has their words, families, colours and the order of their columns.
 *
 * <p>Immutable; any thread.
 */
@NullMarked
package dev.headway.events.reason;

import org.jspecify.annotations.NullMarked;
