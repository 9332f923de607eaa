package dev.headway.simulation.fit;

import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.calibrate.TimedRequest;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.toolbox.stats.Quantile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.ToDoubleFunction;

/**
 * How far simulated latencies are from measured ones, as logarithms of their ratios over groups of
 * requests: spans of time, lengths of prompts, contexts, and all. A single request's time depends
 * on where in a step it arrived, which no simulation gets right and every change of a number
 * changes; the mean over a group does not (the method of simulated moments, McFadden, Econometrica
 * 57(5), 1989). Requests far off the others of their group count as if they were less far.
 */
final class LatencyMoments {

  private static final int MOST_SPANS = 8;
  private static final int MOST_LENGTHS = 6;
  private static final int MOST_CONTEXTS = 4;
  private static final int FEWEST_OF_SPAN = 12;
  private static final int FEWEST_OF_LENGTH = 12;
  private static final double NORMAL = 1.4826;
  private static final double FAR = 3;
  private static final double LEAST_FAR = 0.3;

  /** Requests whose mean ratio is a moment. */
  @SuppressWarnings("ArrayRecordComponent") // made once, and never given out
  private record Group(int run, LatencyMetric metric, int[] requests, boolean isOfSums) {}

  private final List<MeasuredRun> runs;
  private final List<Group> groups = new ArrayList<>();

  /**
   * Groups requests.
   *
   * @param fitted by run, the indices of the requests that count, in the order of arrival
   */
  LatencyMoments(List<MeasuredRun> runs, List<int[]> fitted) {
    this.runs = runs;
    for (int run = 0; run < runs.size(); run++) {
      final int[] requests = fitted.get(run);
      for (LatencyMetric metric : LatencyMetric.values()) {
        groups.add(new Group(run, metric, requests, true));
        add(run, metric, parts(requests, MOST_SPANS, FEWEST_OF_SPAN));
      }
      add(
          run,
          LatencyMetric.TTFT,
          sorted(run, requests, WorkloadRequest::inputTokens),
          MOST_LENGTHS);
      add(
          run,
          LatencyMetric.TPOT,
          sorted(run, requests, request -> request.inputTokens() + request.outputTokens() / 2.0),
          MOST_CONTEXTS);
    }
  }

  private void add(int run, LatencyMetric metric, int[] sorted, int most) {
    add(run, metric, parts(sorted, most, FEWEST_OF_LENGTH));
  }

  private void add(int run, LatencyMetric metric, List<int[]> parts) {
    parts.forEach(part -> groups.add(new Group(run, metric, part, false)));
  }

  private int[] sorted(int run, int[] requests, ToDoubleFunction<WorkloadRequest> key) {
    final List<WorkloadRequest> load = runs.get(run).load();
    return Arrays.stream(requests)
        .boxed()
        .sorted(Comparator.comparingDouble(index -> key.applyAsDouble(load.get(index))))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static List<int[]> parts(int[] requests, int most, int fewest) {
    final int count = Math.clamp(requests.length / fewest, 1, most);
    final List<int[]> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(
          Arrays.copyOfRange(
              requests, i * requests.length / count, (i + 1) * requests.length / count));
    }
    return parts;
  }

  int size() {
    return groups.size();
  }

  /** Which latency a moment is of. */
  LatencyMetric metric(int moment) {
    return groups.get(moment).metric;
  }

  /**
   * The moments of simulations.
   *
   * @param simulated of each run
   * @param isCounted by run, which requests count; the others are left out of their groups
   * @return by moment, simulated over measured; NaN of a group that has none
   */
  double[] of(List<SimulatedLatencies> simulated, List<IntPredicate> isCounted) {
    final double[] moments = new double[groups.size()];
    for (int i = 0; i < moments.length; i++) {
      final Group group = groups.get(i);
      moments[i] = moment(group, simulated.get(group.run), isCounted.get(group.run));
    }
    return moments;
  }

  private double moment(Group group, SimulatedLatencies simulated, IntPredicate isCounted) {
    final double[] logs = new double[group.requests.length];
    final double[] ns = new double[group.requests.length];
    int count = 0;
    for (int request : group.requests) {
      final TimedRequest truth = runs.get(group.run).measured(request);
      final double real = truth == null ? Double.NaN : group.metric.ns(truth);
      final double found = simulated.ns(group.metric, request);
      if (isCounted.test(request) && real > 0 && found > 0) {
        ns[count] = found;
        logs[count++] = Math.log(found / real);
      }
    }
    return count == 0
        ? Double.NaN
        : mean(Arrays.copyOf(logs, count), Arrays.copyOf(ns, count), group.isOfSums);
  }

  /** Of logarithms that are far from their median, only so much is taken. */
  private static double mean(double[] logs, double[] ns, boolean isOfSums) {
    final double[] sorted = logs.clone();
    Arrays.sort(sorted);
    final double median = Quantile.upperMedian(sorted);
    final double[] far = new double[logs.length];
    for (int i = 0; i < far.length; i++) {
      far[i] = Math.abs(logs[i] - median);
    }
    Arrays.sort(far);
    final double most = Math.max(LEAST_FAR, FAR * NORMAL * Quantile.upperMedian(far));
    double sum = 0;
    double simulated = 0;
    double measured = 0;
    for (int i = 0; i < logs.length; i++) {
      final double log = median + Math.clamp(logs[i] - median, -most, most);
      sum += log;
      simulated += ns[i];
      measured += ns[i] * Math.exp(-log);
    }
    return isOfSums ? Math.log(simulated / measured) : sum / logs.length;
  }
}
