package dev.headway.loadgen.arrival;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.simulation.workload.arrival.Gaps;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When requests are sent at a given rate, the way {@code vllm bench serve} makes its schedule: a
 * gap is drawn for each request, the first included, and the sums are then stretched so that the
 * last request is sent at {@code requests / rate} exactly. The stretching takes away the error of
 * the rate that a seed brings, and makes the gaps depend on each other.
 *
 * @param rate requests per second; infinity for all at once; ignored if there is a ramp
 * @param ramp a rate that grows instead, or null
 * @param burstiness shape of the gamma distribution that gaps are drawn from: 1 is a Poisson
 *     process, less is burstier, infinity is even gaps
 * @param normalize whether the sums are stretched; never with a ramp
 * @param seed equal seeds give equal schedules
 */
public record RateSchedule(
    double rate, @Nullable Ramp ramp, double burstiness, boolean normalize, long seed) {

  private static final double NS_PER_SECOND = 1e9;

  /**
   * Checks the rate and the burstiness.
   *
   * @throws IllegalArgumentException naming the one that is out of range
   */
  public RateSchedule {
    if (!(rate > 0)) {
      throw new IllegalArgumentException("the request rate must be > 0: rate=" + rate);
    }
    if (!(burstiness > 0)) {
      throw new IllegalArgumentException("burstiness must be > 0: burstiness=" + burstiness);
    }
  }

  /** When each of {@code requests} requests is sent, in nanoseconds after the start. */
  public long[] offsetsNs(int requests) {
    return nanos(offsets(gaps(requests)));
  }

  /** The rate in force at request {@code index} of {@code requests}. */
  public double rateAt(int index, int requests) {
    return ramp == null ? rate : ramp.rateAt(index, requests);
  }

  /** The gap before each request in seconds. */
  private double[] gaps(int requests) {
    final RandomStream random = RandomStream.of(seed, "arrival");
    final Gaps gaps =
        Double.isInfinite(burstiness) ? Gaps.constant() : Gaps.gammaOfShape(burstiness);
    final double[] result = new double[requests];
    for (int i = 0; i < requests; i++) {
      final double now = rateAt(i, requests);
      result[i] = Double.isInfinite(now) ? 0 : gaps.next(random) / now;
    }
    return result;
  }

  /** Sums of gaps, stretched if they are to be. */
  double[] offsets(double[] gaps) {
    final double[] sums = gaps.clone();
    Arrays.parallelPrefix(sums, Double::sum);
    final double last = sums.length == 0 ? 0 : sums[sums.length - 1];
    if (normalize && ramp == null && last > 0) {
      final double factor = sums.length / rate / last;
      for (int i = 0; i < sums.length; i++) {
        sums[i] *= factor;
      }
    }
    return sums;
  }

  private static long[] nanos(double[] seconds) {
    final long[] result = new long[seconds.length];
    Arrays.setAll(result, i -> Math.round(seconds[i] * NS_PER_SECOND));
    return result;
  }
}
