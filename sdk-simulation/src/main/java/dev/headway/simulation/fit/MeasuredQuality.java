package dev.headway.simulation.fit;

import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.calibrate.TimedRequest;
import java.util.List;

/**
 * How far simulated latencies are from the measured ones.
 *
 * @param requests that have it on both sides
 * @param measuredNs mean; NaN without requests
 * @param simulatedNs mean; NaN without requests
 * @param meanError mean over the requests of the absolute relative errors
 */
public record MeasuredQuality(
    LatencyMetric metric, int requests, double measuredNs, double simulatedNs, double meanError) {

  /** Simulated over measured less 1, of the means. */
  public double bias() {
    return simulatedNs / measuredNs - 1;
  }

  /** Over some requests of each run. */
  static MeasuredQuality of(
      LatencyMetric metric,
      List<MeasuredRun> runs,
      List<SimulatedLatencies> simulated,
      List<int[]> requests) {
    int count = 0;
    double real = 0;
    double found = 0;
    double errors = 0;
    for (int run = 0; run < runs.size(); run++) {
      for (int request : requests.get(run)) {
        final TimedRequest truth = runs.get(run).measured(request);
        final double measured = truth == null ? Double.NaN : metric.ns(truth);
        final double ns = simulated.get(run).ns(metric, request);
        if (measured > 0 && ns > 0) {
          count++;
          real += measured;
          found += ns;
          errors += Math.abs(ns / measured - 1);
        }
      }
    }
    return new MeasuredQuality(metric, count, real / count, found / count, errors / count);
  }
}
