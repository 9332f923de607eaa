package dev.headway.simulation.workload;

import java.util.ArrayList;
import java.util.List;

/** All requests of a workload. */
public final class Requests {
  private Requests() {}

  /** Reads a workload to its end, and closes it. */
  public static List<WorkloadRequest> of(Workload workload) {
    try (workload) {
      final List<WorkloadRequest> requests = new ArrayList<>();
      for (WorkloadRequest next = workload.next(); next != null; next = workload.next()) {
        requests.add(next);
      }
      return requests;
    }
  }
}
