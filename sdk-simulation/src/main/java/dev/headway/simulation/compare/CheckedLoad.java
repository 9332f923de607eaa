package dev.headway.simulation.compare;

import dev.headway.simulation.workload.Adjustments;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A load that says at its end what was left out of it, and is never empty. */
final class CheckedLoad implements Workload {
  private final Workload read;
  private final Load load;
  private boolean hasRequests;
  private boolean hasEnded;

  CheckedLoad(Workload read, Load load) {
    this.read = read;
    this.load = load;
  }

  @Override
  public @Nullable WorkloadRequest next() {
    final WorkloadRequest request = read.next();
    if (load.strict()) {
      load.requireWhole(read.adjustments());
    }
    hasRequests |= request != null;
    if (request == null && !hasEnded) {
      hasEnded = true;
      load.requireGood(read.adjustments(), hasRequests);
    }
    return request;
  }

  @Override
  public String name() {
    return read.name();
  }

  @Override
  public OptionalLong sizeHint() {
    return read.sizeHint();
  }

  @Override
  public Adjustments adjustments() {
    return read.adjustments();
  }

  @Override
  public void close() {
    read.close();
  }
}
