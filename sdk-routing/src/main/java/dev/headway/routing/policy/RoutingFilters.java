package dev.headway.routing.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Filters that every router needs. */
public final class RoutingFilters {

  private RoutingFilters() {}

  /** What the first filter that refuses says; null if none does. */
  public static @Nullable String firstRefusal(
      List<RoutingFilter> filters, RoutingRequest request, Worker worker) {
    for (int i = 0; i < filters.size(); i++) {
      final String refusal = filters.get(i).refusal(request, worker);
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  /** Refuses workers that drain, serve another model, failed before, or are not the target. */
  public static @Nullable String unusable(RoutingRequest request, Worker worker) {
    if (worker.isDraining()) {
      return "draining";
    }
    if (request.model() != null
        && worker.model() != null
        && !request.model().equals(worker.model())) {
      return "serves another model";
    }
    if (request.targetWorker() != null && !request.targetWorker().equals(worker.id())) {
      return "not the target worker";
    }
    if (request.excluded().contains(worker.id())) {
      return "failed this request before";
    }
    return null;
  }
}
