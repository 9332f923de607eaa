package dev.headway.loadgen.metrics;

import java.util.Arrays;
import java.util.List;

/** How many requests were under way at once. Stateless. */
final class Concurrency {

  private Concurrency() {}

  /** The most, where one that ends as another starts counts as gone. */
  static int peak(List<Sample> samples) {
    final double[] starts = samples.stream().mapToDouble(Sample::start).sorted().toArray();
    final double[] ends = samples.stream().mapToDouble(Sample::end).sorted().toArray();
    int peak = 0;
    int gone = 0;
    for (int i = 0; i < starts.length; i++) {
      while (gone < ends.length && ends[gone] <= starts[i]) {
        gone++;
      }
      peak = Math.max(peak, i + 1 - gone);
    }
    return peak;
  }

  /**
   * The most tokens in one second, of seconds counted from the first start. A part of an answer
   * counts for as many tokens as its answer has per part.
   */
  static double peakTokensPerSecond(List<Sample> samples) {
    final double first = samples.stream().mapToDouble(Sample::start).min().orElse(0);
    final double last = samples.stream().mapToDouble(Sample::end).max().orElse(0);
    final double[] buckets = new double[(int) Math.min(1e7, Math.max(0, last - first)) + 1];
    for (Sample sample : samples) {
      if (Double.isNaN(sample.ttft())) {
        continue; // nothing is known of when its tokens came
      }
      final double weight = sample.outputTokens() / (sample.itl().length + 1.0);
      double at = sample.start() - first + sample.ttft();
      add(buckets, at, weight);
      for (double gap : sample.itl()) {
        at += gap;
        add(buckets, at, weight);
      }
    }
    return Arrays.stream(buckets).max().orElse(0);
  }

  private static void add(double[] buckets, double second, double tokens) {
    buckets[(int) Math.clamp(second, 0, buckets.length - 1)] += tokens;
  }
}
