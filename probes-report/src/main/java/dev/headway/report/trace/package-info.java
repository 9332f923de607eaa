/**
 * A run as a Chrome trace-event file, for <a href="https://ui.perfetto.dev">Perfetto</a>: requests
 * and steps as tracks of slices, counters beside them.
 *
 * <p>Read {@link dev.headway.report.trace.TraceExport}. Streaming: memory is bounded by live
 * requests and steps in flight. One thread.
 */
@NullMarked
package dev.headway.report.trace;

import org.jspecify.annotations.NullMarked;
