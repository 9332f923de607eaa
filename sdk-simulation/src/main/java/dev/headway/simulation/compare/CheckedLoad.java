package dev.headway.simulation.compare;

import dev.headway.simulation.workload.ForwardingWorkload;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import org.jspecify.annotations.Nullable;

/** A load that says at its end what was left out of it, and is never empty. */
final class CheckedLoad extends ForwardingWorkload {
  private final Load load;
  private boolean hasRequests;
  private boolean hasEnded;

  CheckedLoad(Workload read, Load load) {
    super(read);
    this.load = load;
  }

  @Override
  public @Nullable WorkloadRequest next() {
    final WorkloadRequest request = source().next();
    if (load.strict()) {
      load.requireWhole(adjustments());
    }
    hasRequests |= request != null;
    if (request == null && !hasEnded) {
      hasEnded = true;
      load.requireGood(adjustments(), hasRequests);
    }
    return request;
  }
}
