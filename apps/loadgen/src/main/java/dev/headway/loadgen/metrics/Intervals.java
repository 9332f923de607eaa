package dev.headway.loadgen.metrics;

import dev.headway.simulation.compare.Bootstrap;
import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.toolbox.stats.OwnedSample;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * How much of a figure hangs on which requests there happened to be: 95 % intervals by the
 * bootstrap over requests. Under overload, where requests queue behind each other, the true
 * uncertainty is larger.
 *
 * @param resamples how often requests were drawn
 * @param seed of the draws
 * @param byName intervals by the name of the figure, as in {@code p99_ttft_ms}
 */
public record Intervals(int resamples, long seed, Map<String, Interval> byName) {

  private static final int MOST_RESAMPLES = 10_000;
  private static final int LEAST_RESAMPLES = 200;
  private static final int MOST_DRAWS = 20_000_000;
  private static final double MS_PER_SECOND = 1e3;
  private static final double WHOLE = 100;
  private static final double[] PERCENTS = {50, 99};
  private static final List<Latency> LATENCIES = List.of(Latency.TTFT, Latency.TPOT, Latency.E2EL);

  /**
   * Takes the intervals of p50 and p99 of the latencies, and of the goodput. 10,000 draws, fewer of
   * more than 2,000 requests.
   *
   * @param failed requests that were not answered
   */
  public static Intervals of(
      List<Sample> samples,
      int failed,
      double durationSeconds,
      List<ServiceLevel> levels,
      long seed) {
    final int requests = samples.size() + failed;
    final int resamples =
        requests == 0 ? 1 : Math.clamp(MOST_DRAWS / requests, LEAST_RESAMPLES, MOST_RESAMPLES);
    final List<String> names = new ArrayList<>();
    final List<Bootstrap.Statistic> statistics = new ArrayList<>();
    for (Latency latency : LATENCIES) {
      final OwnedSample sample = owned(samples, latency);
      for (double percent : PERCENTS) {
        names.add("p%.0f_%s_ms".formatted(percent, latency.label()));
        statistics.add(weights -> MS_PER_SECOND * sample.quantile(weights, percent / WHOLE));
      }
    }
    if (!levels.isEmpty()) {
      final int[] good =
          IntStream.range(0, samples.size())
              .filter(i -> levels.stream().allMatch(l -> l.isMet(samples.get(i))))
              .toArray();
      names.add("request_goodput");
      statistics.add(weights -> IntStream.of(good).map(i -> weights[i]).sum() / durationSeconds);
    }
    final List<Interval> intervals =
        requests == 0 ? List.of() : new Bootstrap(resamples, seed).intervals(requests, statistics);
    final Map<String, Interval> byName = new LinkedHashMap<>();
    for (int i = 0; i < intervals.size(); i++) {
      byName.put(names.get(i), intervals.get(i));
    }
    return new Intervals(resamples, seed, byName);
  }

  private static OwnedSample owned(List<Sample> samples, Latency latency) {
    final List<double[]> pairs = new ArrayList<>();
    for (int i = 0; i < samples.size(); i++) {
      for (double value : latency.seconds(List.of(samples.get(i)))) {
        pairs.add(new double[] {value, i});
      }
    }
    return OwnedSample.of(
        pairs.stream().mapToDouble(pair -> pair[0]).toArray(),
        pairs.stream().mapToInt(pair -> (int) pair[1]).toArray());
  }
}
