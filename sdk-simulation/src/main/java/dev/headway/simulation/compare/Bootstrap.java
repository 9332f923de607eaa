package dev.headway.simulation.compare;

import dev.headway.simulation.workload.RandomStream;
import dev.headway.toolbox.stats.Quantile;
import java.util.Arrays;
import java.util.List;

/**
 * The percentile bootstrap over requests (Efron 1979): as many requests are drawn with replacement
 * as there were, the figure is taken of them, again and again; between the 2.5th and the 97.5th
 * percentile of what comes out lies the interval. A request is drawn with all its tokens.
 *
 * <p>It says how much of a figure hangs on which requests the trace happened to hold. It takes them
 * as independent, which requests that queue behind each other are not: under overload the true
 * uncertainty is larger.
 */
public final class Bootstrap {

  private static final double LOW = 0.025;
  private static final double HIGH = 0.975;

  private final int resamples;
  private final long seed;

  /**
   * Makes a bootstrap.
   *
   * @param resamples how often to draw, >= 1
   * @param seed equal seeds draw equal requests, so that policies are compared on the same ones
   */
  public Bootstrap(int resamples, long seed) {
    this.resamples = resamples;
    this.seed = seed;
  }

  /** A figure of requests. */
  @FunctionalInterface
  public interface Statistic {
    /**
     * Takes the figure.
     *
     * @param weights how often each request counts, by index
     * @return NaN if there is nothing to take it of
     */
    double of(int[] weights);
  }

  /**
   * Where a figure lies.
   *
   * @param value of the requests as they were
   * @param low the interval's beginning
   * @param high its end
   */
  public record Interval(double value, double low, double high) {}

  /** The figures of {@code requests} requests; all of them look at the same draws. */
  public List<Interval> intervals(int requests, List<Statistic> statistics) {
    final int[] weights = new int[requests];
    Arrays.fill(weights, 1);
    final double[] values = statistics.stream().mapToDouble(s -> s.of(weights)).toArray();
    final double[][] drawn = new double[statistics.size()][resamples];
    final RandomStream random = RandomStream.of(seed, "bootstrap");
    for (int resample = 0; resample < resamples; resample++) {
      draw(weights, random);
      for (int i = 0; i < drawn.length; i++) {
        drawn[i][resample] = statistics.get(i).of(weights);
      }
    }
    final Interval[] intervals = new Interval[values.length];
    Arrays.setAll(intervals, i -> interval(values[i], drawn[i]));
    return List.of(intervals);
  }

  private static void draw(int[] weights, RandomStream random) {
    Arrays.fill(weights, 0);
    for (int i = 0; i < weights.length; i++) {
      weights[random.nextInt(weights.length)]++;
    }
  }

  private static Interval interval(double value, double[] drawn) {
    final double[] sorted = Arrays.stream(drawn).filter(v -> !Double.isNaN(v)).sorted().toArray();
    return new Interval(value, Quantile.of(sorted, LOW), Quantile.of(sorted, HIGH));
  }
}
