package dev.headway.toolbox.stats;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.ToDoubleFunction;

/*
 * Requests of one run are not independent: neighbours share queues and batches. So runs of
 * neighbours are drawn and not single values (the moving-block bootstrap, Kuensch 1989), as many as
 * the square root of the sample. Single values would make intervals too narrow, and noise look
 * significant.
 */
/** Intervals of the difference between two runs, by a moving-block bootstrap with a fixed seed. */
public final class MovingBlockBootstrap {

  private static final int RESAMPLES = 400;
  private static final double TAIL = 0.025;
  private static final long SEED = 42;

  private MovingBlockBootstrap() {}

  /**
   * What two runs differ by.
   *
   * @param low lower end of the 95 % interval of b - a
   * @param high upper end
   */
  public record Interval(double a, double b, double low, double high) {

    /** Whether the interval leaves out 0. */
    public boolean isSignificant() {
      return low > 0 || high < 0;
    }
  }

  /** The difference of a statistic, which may sort its array; both samples in order of time. */
  public static Interval difference(double[] a, double[] b, ToDoubleFunction<double[]> statistic) {
    final SplittableRandom random = new SplittableRandom(SEED);
    final double[] differences = new double[RESAMPLES];
    final double[] drawnA = new double[a.length];
    final double[] drawnB = new double[b.length];
    for (int i = 0; i < RESAMPLES; i++) {
      draw(a, drawnA, random);
      draw(b, drawnB, random);
      differences[i] = statistic.applyAsDouble(drawnB) - statistic.applyAsDouble(drawnA);
    }
    Arrays.sort(differences);
    return new Interval(
        statistic.applyAsDouble(a.clone()),
        statistic.applyAsDouble(b.clone()),
        Quantile.of(differences, TAIL),
        Quantile.of(differences, 1 - TAIL));
  }

  /** The {@link Quantile} of {@code share} in [0, 1]. */
  public static ToDoubleFunction<double[]> quantile(double share) {
    return values -> {
      Arrays.sort(values);
      return Quantile.of(values, share);
    };
  }

  /** The mean. */
  public static ToDoubleFunction<double[]> mean() {
    return values -> Arrays.stream(values).average().orElse(0);
  }

  private static void draw(double[] from, double[] to, SplittableRandom random) {
    final int block = Math.max(1, (int) Math.round(Math.sqrt(from.length)));
    for (int at = 0; at < to.length; at += block) {
      final int length = Math.min(block, to.length - at);
      System.arraycopy(from, random.nextInt(from.length - length + 1), to, at, length);
    }
  }
}
