package dev.headway.simulation.workload;

/**
 * A row as read, before arrivals are put in order.
 *
 * @param line line of the file, from 1
 * @param request its content; the arrival is not yet relative where the format has dates
 * @param zeroOutput whether the row asked for no output and was given one token
 */
record TraceRow(long line, WorkloadRequest request, boolean zeroOutput) {}
