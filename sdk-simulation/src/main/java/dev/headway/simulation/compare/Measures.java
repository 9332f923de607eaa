package dev.headway.simulation.compare;

import dev.headway.simulation.compare.Bootstrap.Interval;
import dev.headway.simulation.compare.Bootstrap.Statistic;
import dev.headway.toolbox.stats.OwnedSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;

/**
 * Turns the log of a run into figures.
 *
 * @param shortPrompt longest prompt that counts as short, in tokens
 * @param slo what requests shall meet
 * @param bootstrap for intervals
 */
public record Measures(int shortPrompt, Slo slo, Bootstrap bootstrap) {

  /**
   * What a request shall meet.
   *
   * @param ttftNs longest time to the first token; {@link #NO_LIMIT} for any
   * @param itlNs longest mean time per further token; {@link #NO_LIMIT} for any
   */
  public record Slo(long ttftNs, long itlNs) {
    /** No limit. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    /** Whether the first token is asked for within some time. */
    public boolean limitsTtft() {
      return ttftNs != NO_LIMIT;
    }
  }

  /** Takes all figures. */
  Map<Metric, Interval> of(RunLog log, long policyFaults) {
    final Map<Metric, Statistic> drawn = new EnumMap<>(Metric.class);
    final List<RequestFigures> requests = log.requests();
    addLatencies(drawn, requests);
    drawn.put(Metric.GOODPUT_SHARE, goodput(requests));
    final Map<Metric, Interval> metrics = new EnumMap<>(Metric.class);
    final List<Interval> intervals =
        bootstrap.intervals(requests.size(), List.copyOf(drawn.values()));
    int next = 0;
    for (Metric metric : drawn.keySet()) {
      metrics.put(metric, intervals.get(next++));
    }
    final int[] ones = new int[requests.size()];
    Arrays.fill(ones, 1);
    metrics.put(Metric.ITL_P50, plain(gaps(requests, 50).of(ones))); // no interval: slow, and flat
    addTotals(metrics, log, policyFaults);
    return metrics;
  }

  private void addLatencies(Map<Metric, Statistic> drawn, List<RequestFigures> requests) {
    final IntPredicate isShort = i -> requests.get(i).promptTokens <= shortPrompt;
    addPercentiles(
        drawn, requests, f -> f.ttftNs, isShort, Metric.TTFT_SHORT_P50, Metric.TTFT_SHORT_P99);
    addPercentiles(
        drawn,
        requests,
        f -> f.ttftNs,
        isShort.negate(),
        Metric.TTFT_LONG_P50,
        Metric.TTFT_LONG_P99);
    addPercentiles(drawn, requests, f -> f.ttftNs, i -> true, Metric.TTFT_P50, Metric.TTFT_P99);
    final IntPredicate isWhole = i -> requests.get(i).produced == requests.get(i).outputTokens;
    addPercentiles(drawn, requests, f -> f.endToEndNs, isWhole, Metric.E2E_P50, Metric.E2E_P99);
    drawn.put(Metric.ITL_P99, gaps(requests, 99));
  }

  private static void addPercentiles(
      Map<Metric, Statistic> drawn,
      List<RequestFigures> requests,
      ToLongFunction<RequestFigures> duration,
      IntPredicate wanted,
      Metric median,
      Metric tail) {
    final double[] durations = new double[requests.size()];
    for (int i = 0; i < durations.length; i++) {
      final long ns = duration.applyAsLong(requests.get(i));
      durations[i] = ns == RequestFigures.NONE || !wanted.test(i) ? Double.NaN : (double) ns;
    }
    final OwnedSample sample = OwnedSample.ofEach(durations);
    drawn.put(median, weights -> sample.quantile(weights, 0.5));
    drawn.put(tail, weights -> sample.quantile(weights, 0.99));
  }

  /** Looks at the largest tenth only, as long as the percentile is there. */
  private static Statistic gaps(List<RequestFigures> requests, double percent) {
    final int[] ones = new int[requests.size()];
    Arrays.fill(ones, 1);
    final double tail = gaps(requests, ones, 90, 0);
    final int from = Double.isNaN(tail) ? 0 : GapBins.binOf((long) tail);
    return weights -> {
      final double fast = gaps(requests, weights, percent, from);
      return Double.isNaN(fast) ? gaps(requests, weights, percent, 0) : fast;
    };
  }

  private static double gaps(
      List<RequestFigures> requests, int[] weights, double percent, int from) {
    final long[] totals = new long[GapBins.BINS];
    long total = 0;
    for (int i = 0; i < weights.length; i++) {
      if (weights[i] > 0) {
        final GapBins own = requests.get(i).gaps;
        own.addTo(totals, weights[i], from);
        total += weights[i] * own.count();
      }
    }
    return GapBins.percentile(totals, total, percent);
  }

  private Statistic goodput(List<RequestFigures> requests) {
    final boolean[] good = new boolean[requests.size()];
    for (int i = 0; i < good.length; i++) {
      good[i] = requests.get(i).meets(slo.ttftNs, slo.itlNs);
    }
    return weights -> {
      long met = 0;
      long all = 0;
      for (int i = 0; i < weights.length; i++) {
        met += good[i] ? weights[i] : 0;
        all += weights[i];
      }
      return all == 0 ? Double.NaN : (double) met / all;
    };
  }

  private static void addTotals(Map<Metric, Interval> metrics, RunLog log, long policyFaults) {
    final RunLog.Totals totals = log.totals();
    final double seconds = totals.endNs() / 1e9;
    final List<RequestFigures> finished = new ArrayList<>();
    for (RequestFigures figures : log.requests()) {
      if (figures.produced == figures.outputTokens) {
        finished.add(figures);
      }
    }
    final long tokens = finished.stream().mapToLong(f -> f.promptTokens + f.outputTokens).sum();
    final Interval share = metrics.getOrDefault(Metric.GOODPUT_SHARE, plain(Double.NaN));
    final double perSecond = seconds == 0 ? Double.NaN : log.requests().size() / seconds;
    metrics.put(
        Metric.GOODPUT_RPS,
        new Interval(share.value() * perSecond, share.low() * perSecond, share.high() * perSecond));
    metrics.put(
        Metric.RECOMPUTE_TAX, plain(ratio(totals.recomputedTokens(), totals.computedTokens())));
    metrics.put(Metric.RECOMPUTED_TOKENS, plain(totals.recomputedTokens()));
    metrics.put(Metric.PREEMPTIONS, plain(totals.preemptions()));
    metrics.put(Metric.SELF_PREEMPTIONS, plain(totals.selfPreemptions()));
    metrics.put(Metric.LOST_TOKENS, plain(totals.lostTokens()));
    metrics.put(Metric.JAIN, plain(totals.jain()));
    metrics.put(Metric.PREFIX_HIT_SHARE, plain(ratio(totals.hitTokens(), totals.queriedTokens())));
    metrics.put(Metric.MAKESPAN, plain(totals.endNs()));
    metrics.put(Metric.TOKENS_PER_SECOND, plain(seconds == 0 ? Double.NaN : tokens / seconds));
    metrics.put(Metric.FINISHED, plain(finished.size()));
    metrics.put(Metric.NOT_FINISHED, plain(log.requests().size() - finished.size()));
    metrics.put(Metric.STEPS, plain(totals.steps()));
    metrics.put(Metric.POLICY_FAULTS, plain(policyFaults));
    final long waited = log.requests().stream().filter(RequestFigures::hasWaited).count();
    metrics.put(Metric.WAITED_SHARE, plain(ratio(waited, log.requests().size())));
  }

  private static Interval plain(double value) {
    return new Interval(value, Double.NaN, Double.NaN);
  }

  private static Interval plain(long value) {
    return plain((double) value);
  }

  private static double ratio(long part, long whole) {
    return whole == 0 ? 0 : (double) part / whole;
  }
}
