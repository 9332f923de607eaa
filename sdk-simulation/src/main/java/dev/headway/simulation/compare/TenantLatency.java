package dev.headway.simulation.compare;

import dev.headway.toolbox.stats.Quantile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the requests of a tenant got.
 *
 * @param tenant its name
 * @param requests of it that came
 * @param ttftP50Ns from arrival to the first token, median over those that got one; NaN without any
 * @param ttftP99Ns the same, 99th percentile
 */
public record TenantLatency(String tenant, long requests, double ttftP50Ns, double ttftP99Ns) {

  /** Of each tenant, in the order of their names; empty if no request has one. */
  static List<TenantLatency> of(List<RequestFigures> requests) {
    final Map<String, List<RequestFigures>> byTenant = new TreeMap<>();
    for (RequestFigures request : requests) {
      if (!request.tenant.isEmpty()) {
        byTenant.computeIfAbsent(request.tenant, name -> new ArrayList<>()).add(request);
      }
    }
    return byTenant.entrySet().stream().map(entry -> of(entry.getKey(), entry.getValue())).toList();
  }

  private static TenantLatency of(String tenant, List<RequestFigures> requests) {
    final double[] ttftNs =
        requests.stream()
            .mapToLong(request -> request.ttftNs)
            .filter(ns -> ns != RequestFigures.NONE)
            .sorted()
            .asDoubleStream()
            .toArray();
    return ttftNs.length == 0
        ? new TenantLatency(tenant, requests.size(), Double.NaN, Double.NaN)
        : new TenantLatency(
            tenant, requests.size(), Quantile.of(ttftNs, 0.5), Quantile.of(ttftNs, 0.99));
  }
}
