package dev.headway.examples.replay;

import org.HdrHistogram.Histogram;

/** Durations in nanoseconds, exact to 0.1 %, in bounded memory. */
final class LatencyHistogram {

  private static final int SIGNIFICANT_DIGITS = 3;

  private final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);

  void record(long durationNs) {
    histogram.recordValue(durationNs);
  }

  RunFigures.Percentiles percentiles() {
    return new RunFigures.Percentiles(
        histogram.getTotalCount(),
        (long) histogram.getMean(),
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(90),
        histogram.getValueAtPercentile(99));
  }
}
