package dev.headway.simulation.compare;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.Bootstrap.Statistic;
import dev.headway.simulation.fleet.FleetRequest;
import dev.headway.simulation.fleet.FleetResult;
import dev.headway.toolbox.stats.OwnedSample;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Turns runs into figures with intervals of a bootstrap over requests. Stateless. */
public final class FleetFigures {

  private FleetFigures() {}

  /** Takes all figures; {@link FleetMetric#FINISHED} has no interval. */
  public static Map<FleetMetric, Interval> of(FleetResult result, Bootstrap bootstrap) {
    final List<FleetRequest> requests = result.requests();
    final Map<FleetMetric, Statistic> drawn = new EnumMap<>(FleetMetric.class);
    drawn.put(FleetMetric.TTFT_MEAN, mean(requests, FleetRequest::ttftNs));
    drawn.put(FleetMetric.TTFT_P50, quantile(requests, FleetRequest::ttftNs, 0.5));
    drawn.put(FleetMetric.TTFT_P99, quantile(requests, FleetRequest::ttftNs, 0.99));
    drawn.put(FleetMetric.E2E_P50, quantile(requests, FleetRequest::endToEndNs, 0.5));
    drawn.put(FleetMetric.E2E_P99, quantile(requests, FleetRequest::endToEndNs, 0.99));
    drawn.put(FleetMetric.HIT_SHARE, weights -> hitShare(requests, weights));
    drawn.put(
        FleetMetric.IMBALANCE,
        weights -> imbalance(requests, weights, result.settings().instances()));
    drawn.put(FleetMetric.REGRET_MEAN, mean(requests, FleetRequest::regretNs));
    drawn.put(FleetMetric.REGRET_P99, quantile(requests, FleetRequest::regretNs, 0.99));
    final Map<FleetMetric, Interval> figures = new EnumMap<>(FleetMetric.class);
    final List<Interval> intervals =
        bootstrap.intervals(requests.size(), List.copyOf(drawn.values()));
    int next = 0;
    for (FleetMetric metric : drawn.keySet()) {
      figures.put(metric, intervals.get(next++));
    }
    final long finished = requests.stream().filter(each -> each.ttftNs() != ABSENT).count();
    figures.put(FleetMetric.FINISHED, new Interval(finished, Double.NaN, Double.NaN));
    return figures;
  }

  private static Statistic mean(List<FleetRequest> requests, ToLongFunction<FleetRequest> value) {
    final long[] values = requests.stream().mapToLong(value).toArray();
    return weights -> {
      double sum = 0;
      long count = 0;
      for (int i = 0; i < values.length; i++) {
        if (values[i] != ABSENT) {
          sum += (double) values[i] * weights[i];
          count += weights[i];
        }
      }
      return count == 0 ? Double.NaN : sum / count;
    };
  }

  private static Statistic quantile(
      List<FleetRequest> requests, ToLongFunction<FleetRequest> value, double share) {
    final OwnedSample sample =
        OwnedSample.ofEach(
            requests.stream()
                .mapToLong(value)
                .mapToDouble(ns -> ns == ABSENT ? Double.NaN : (double) ns)
                .toArray());
    return weights -> sample.quantile(weights, share);
  }

  private static double hitShare(List<FleetRequest> requests, int[] weights) {
    long prompts = 0;
    long cached = 0;
    for (int i = 0; i < weights.length; i++) {
      prompts += (long) weights[i] * requests.get(i).promptTokens();
      cached += (long) weights[i] * requests.get(i).cachedTokens();
    }
    return prompts == 0 ? Double.NaN : (double) cached / prompts;
  }

  private static double imbalance(List<FleetRequest> requests, int[] weights, int instances) {
    final long[] computed = new long[instances];
    long sum = 0;
    for (int i = 0; i < weights.length; i++) {
      final FleetRequest each = requests.get(i);
      final long tokens =
          (long) weights[i] * (each.promptTokens() - each.cachedTokens() + each.outputTokens());
      computed[each.instance()] += tokens;
      sum += tokens;
    }
    final long most = IntStream.range(0, instances).mapToLong(i -> computed[i]).max().orElse(0);
    return sum == 0 ? Double.NaN : (double) most * instances / sum;
  }
}
