package dev.headway.probes.dashboard.state;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Figures of the last {@value #SECONDS} seconds, one slot per second of the run's clock; quantiles
 * over the last {@value #QUANTILE_SECONDS}. Fixed memory, about 0.5 MiB. One thread.
 */
final class LastMinutes {

  static final int SECONDS = 120;
  static final int QUANTILE_SECONDS = 60;
  private static final long NS_PER_SECOND = 1_000_000_000L;

  /** What is counted or measured per second. */
  enum Series {
    /** Tokens of prompts computed. */
    PREFILL_TOKENS(false),
    /** Tokens generated. */
    OUTPUT_TOKENS(false),
    /** Requests that ended. */
    FINISHED(false),
    /** Steps. */
    STEPS(false),
    /** Requests running, at the end of the second. */
    RUNNING(true),
    /** Requests waiting, at the end of the second. */
    WAITING(true),
    /** KV blocks in use, at the end of the second. */
    KV_BLOCKS_USED(true);

    /** Whether a second without a step has the value of the one before. */
    final boolean isLevel;

    Series(boolean isLevel) {
      this.isLevel = isLevel;
    }
  }

  private static final Series[] ALL = Series.values();

  private final Map<Series, long[]> values = new EnumMap<>(Series.class);
  private final LogHistogram[] ttft = histograms();
  private final LogHistogram[] gaps = histograms();
  private final LogHistogram sum = new LogHistogram();
  private long second = Long.MIN_VALUE;

  LastMinutes() {
    for (Series series : ALL) {
      values.put(series, new long[SECONDS]);
    }
  }

  /** Time has come to an instant: seconds since the latest are begun. */
  void reach(long nowNs) {
    final long now = Math.floorDiv(nowNs, NS_PER_SECOND);
    if (second == Long.MIN_VALUE || now - second > SECONDS) {
      for (Series series : ALL) {
        final long level = series.isLevel && second != Long.MIN_VALUE ? latest(series) : 0;
        Arrays.fill(of(series), level);
      }
      for (int slot = 0; slot < QUANTILE_SECONDS; slot++) {
        ttft[slot].clear();
        gaps[slot].clear();
      }
      second = now;
    }
    while (second < now) {
      second++;
      for (Series series : ALL) {
        final long[] seconds = of(series);
        seconds[slot(second, SECONDS)] = series.isLevel ? seconds[slot(second - 1, SECONDS)] : 0;
      }
      ttft[slot(second, QUANTILE_SECONDS)].clear();
      gaps[slot(second, QUANTILE_SECONDS)].clear();
    }
  }

  void add(Series series, long amount) {
    of(series)[slot(second, SECONDS)] += amount;
  }

  void set(Series series, long level) {
    of(series)[slot(second, SECONDS)] = level;
  }

  void firstToken(long ttftNs) {
    ttft[slot(second, QUANTILE_SECONDS)].add(ttftNs);
  }

  void tokenGap(long gapNs) {
    gaps[slot(second, QUANTILE_SECONDS)].add(gapNs);
  }

  /** The seconds, the earliest first; the last one is not over. */
  long[] copy(Series series) {
    final long[] ordered = new long[SECONDS];
    for (int i = 0; i < SECONDS; i++) {
      ordered[i] = of(series)[slot(second - SECONDS + 1 + i, SECONDS)];
    }
    return ordered;
  }

  /** Quantiles of the time to the first token. */
  Quantiles ttft() {
    return quantiles(ttft);
  }

  /** Quantiles of the time between two tokens of a request. */
  Quantiles tokenGaps() {
    return quantiles(gaps);
  }

  private Quantiles quantiles(LogHistogram[] perSecond) {
    sum.clear();
    for (LogHistogram one : perSecond) {
      if (one.total() > 0) {
        sum.addAll(one);
      }
    }
    return new Quantiles(sum.total(), sum.quantile(0.5), sum.quantile(0.9), sum.quantile(0.99));
  }

  private long[] of(Series series) {
    return Objects.requireNonNull(values.get(series));
  }

  private long latest(Series series) {
    return of(series)[slot(second, SECONDS)];
  }

  private static int slot(long second, int slots) {
    return (int) Math.floorMod(second, (long) slots);
  }

  private static LogHistogram[] histograms() {
    final LogHistogram[] made = new LogHistogram[QUANTILE_SECONDS];
    Arrays.setAll(made, index -> new LogHistogram());
    return made;
  }
}
