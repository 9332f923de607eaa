package dev.headway.simulation.fleet;

import java.util.List;

/**
 * What came of a run, the same for equal inputs.
 *
 * @param settings what ran
 * @param requests in the order of arrival
 * @param steps of all instances
 * @param endNs when the last of them stopped
 * @param pressure how full the instances were
 */
public record FleetResult(
    FleetSettings settings,
    List<FleetRequest> requests,
    long steps,
    long endNs,
    Pressure pressure) {

  /**
   * How full the instances were between the first arrival and the last, the fullest of them.
   *
   * @param mostRunning most requests running at once
   * @param mostKvShare largest share of its KV blocks that requests held, in [0, 1]
   * @param preemptions how often a request lost its blocks, over the whole run
   */
  public record Pressure(int mostRunning, double mostKvShare, long preemptions) {}

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
}
