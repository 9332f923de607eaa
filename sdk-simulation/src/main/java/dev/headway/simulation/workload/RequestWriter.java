package dev.headway.simulation.workload;

import java.io.IOException;

/** Writes the requests of a workload in one format, and counts what the format cannot hold. */
sealed interface RequestWriter permits CanonicalWriter, MooncakeWriter, TraceV2Writer {
  /** Writes a request, the next in order of arrival. */
  void write(WorkloadRequest request) throws IOException;

  /** What was lost so far. */
  Losses losses();
}
