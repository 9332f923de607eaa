package dev.headway.simulation.workload;

import org.jspecify.annotations.Nullable;

/**
 * A row as read, before arrivals are put in order: a request, or why it is none.
 *
 * @param line line of the file, from 1
 * @param arrivalNs not yet relative where the format has dates
 * @param request its content, or null if it is left out
 * @param leftOut why it is left out, or null
 */
public record TraceRow(
    long line, long arrivalNs, @Nullable WorkloadRequest request, @Nullable LeftOut leftOut) {

  /** A row that is a request. */
  public static TraceRow of(long line, WorkloadRequest request) {
    return new TraceRow(line, request.arrivalNs(), request, null);
  }

  /** A row that is none. */
  public static TraceRow leftOut(long line, long arrivalNs, LeftOut reason) {
    return new TraceRow(line, arrivalNs, null, reason);
  }

  int prefixBlocks() {
    return request == null ? 0 : request.prefixBlockCount();
  }
}
