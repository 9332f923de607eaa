package dev.headway.simulation.fleet;

import java.util.List;

/**
 * What came of a run, the same for equal inputs.
 *
 * @param settings what ran
 * @param requests in the order of arrival
 * @param steps of all instances
 * @param endNs when the last of them stopped
 */
public record FleetResult(
    FleetSettings settings, List<FleetRequest> requests, long steps, long endNs) {

  /** Share of the prompt tokens found in a prefix cache; 0 without requests. */
  public double hitShare() {
    final long prompts = requests.stream().mapToLong(FleetRequest::promptTokens).sum();
    final long cached = requests.stream().mapToLong(FleetRequest::cachedTokens).sum();
    return prompts == 0 ? 0 : (double) cached / prompts;
  }

  /** Requests by instance. */
  public long[] requestsByInstance() {
    final long[] counts = new long[settings.instances()];
    requests.forEach(request -> counts[request.instance()]++);
    return counts;
  }

  /** Tokens computed by instance: uncached ones of prompts, and outputs. */
  public long[] computedByInstance() {
    final long[] counts = new long[settings.instances()];
    for (FleetRequest each : requests) {
      counts[each.instance()] += each.promptTokens() - each.cachedTokens() + each.outputTokens();
    }
    return counts;
  }

  /** The most tokens computed by an instance relative to the mean, 1 if all did the same. */
  public double imbalance() {
    long sum = 0;
    long most = 0;
    for (long each : computedByInstance()) {
      sum += each;
      most = Math.max(most, each);
    }
    return sum == 0 ? 1 : (double) most * settings.instances() / sum;
  }
}
