package dev.headway.simulation.workload;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes from requests what the one that runs them cannot do, and notes each. */
final class WithoutExtras extends ForwardingWorkload {
  private final Set<RequestExtra> extras;
  private final Map<RequestExtra, Long> removed = new EnumMap<>(RequestExtra.class);

  WithoutExtras(Workload source, Set<RequestExtra> extras) {
    super(source);
    this.extras = EnumSet.copyOf(extras);
  }

  @Override
  public @Nullable WorkloadRequest next() {
    WorkloadRequest request = source().next();
    if (request == null) {
      return null;
    }
    for (RequestExtra extra : extras) {
      if (extra.isOf(request)) {
        removed.merge(extra, 1L, Long::sum);
        request = extra.removedFrom(request);
      }
    }
    return request;
  }

  @Override
  public Adjustments adjustments() {
    Adjustments noted = super.adjustments();
    for (Map.Entry<RequestExtra, Long> each : removed.entrySet()) {
      noted = noted.withNote(each.getKey().remark(), each.getValue());
    }
    return noted;
  }
}
