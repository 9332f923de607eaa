/** Requests with all their instants as CSV: {@link dev.headway.routing.timing.table.TimingCsv}. */
@NullMarked
package dev.headway.routing.timing.table;

import org.jspecify.annotations.NullMarked;
