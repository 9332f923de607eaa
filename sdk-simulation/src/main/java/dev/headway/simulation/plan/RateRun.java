package dev.headway.simulation.plan;

import dev.headway.api.request.FinishReason;
import dev.headway.simulation.fleet.FleetRequest;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.toolbox.stats.Quantile;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * What a configuration did with a load at one rate. Latencies are nanoseconds at the percentile of
 * the limits, NaN where no request has one.
 *
 * @param rate requests per second
 * @param requests how many came
 * @param refused how many of them did not get all their tokens
 * @param ttftNs arrival to first token
 * @param tpotNs mean time per token after the first
 * @param e2eNs arrival to the end
 * @param arrivalsNs first arrival to last
 * @param pressure how full the instances were
 */
public record RateRun(
    double rate,
    int requests,
    int refused,
    double ttftNs,
    double tpotNs,
    double e2eNs,
    long arrivalsNs,
    FleetResult.Pressure pressure) {

  /**
   * A limit and how much of it was used.
   *
   * @param limit which
   * @param ratio value over limit; above 1 it is exceeded
   */
  public record Excess(LatencyLimit limit, double ratio) {

    Excess or(LatencyLimit other, double otherRatio) {
      return otherRatio > ratio ? new Excess(other, otherRatio) : this;
    }
  }

  static RateRun of(double rate, FleetResult result, LatencyLimits limits) {
    final List<FleetRequest> served =
        result.requests().stream()
            .filter(each -> FinishReason.LENGTH.label().equals(each.outcome()))
            .toList();
    final List<FleetRequest> all = result.requests();
    return new RateRun(
        rate,
        all.size(),
        all.size() - served.size(),
        percentile(served, FleetRequest::ttftNs, limits),
        percentile(
            served.stream().filter(each -> each.outputTokens() > 1).toList(),
            RateRun::tpotNs,
            limits),
        percentile(served, FleetRequest::endToEndNs, limits),
        all.isEmpty() ? 0 : all.getLast().arrivalNs() - all.getFirst().arrivalNs(),
        result.pressure());
  }

  private static long tpotNs(FleetRequest request) {
    return Math.floorDiv(request.endToEndNs() - request.ttftNs(), request.outputTokens() - 1L);
  }

  private static double percentile(
      List<FleetRequest> requests, ToLongFunction<FleetRequest> value, LatencyLimits limits) {
    return Quantile.of(
        requests.stream().mapToLong(value).sorted().asDoubleStream().toArray(), limits.share());
  }
}
