package dev.headway.simulation.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/** Draws of a sampler, and how far they are from a distribution. */
public record Sample(double[] sorted) {

  /** So many draws, sorted. */
  public static Sample of(DoubleSupplier sampler, int draws) {
    final double[] drawn = DoubleStream.generate(sampler).limit(draws).toArray();
    Arrays.sort(drawn);
    return new Sample(drawn);
  }

  /** The mean of the draws. */
  public double mean() {
    return Arrays.stream(sorted).average().orElseThrow();
  }

  /** Their standard deviation by their mean. */
  public double variation() {
    final double mean = mean();
    final double squares = Arrays.stream(sorted).map(x -> (x - mean) * (x - mean)).sum();
    return Math.sqrt(squares / (sorted.length - 1)) / mean;
  }

  /** The Kolmogorov-Smirnov distance from a continuous distribution. */
  public double distance(DoubleUnaryOperator cdf) {
    double worst = 0;
    for (int i = 0; i < sorted.length; i++) {
      final double expected = cdf.applyAsDouble(sorted[i]);
      worst = Math.max(worst, Math.abs(expected - (double) i / sorted.length));
      worst = Math.max(worst, Math.abs(expected - (i + 1.0) / sorted.length));
    }
    return worst;
  }

  /** The same from a distribution of integers, whose steps are compared behind each value. */
  public double distanceOfIntegers(DoubleUnaryOperator cdf) {
    double worst = 0;
    for (int i = 0; i < sorted.length; i++) {
      final boolean lastOfValue = i == sorted.length - 1 || sorted[i + 1] > sorted[i];
      if (lastOfValue) {
        final double found = (i + 1.0) / sorted.length;
        worst = Math.max(worst, Math.abs(cdf.applyAsDouble(sorted[i]) - found));
      }
    }
    return worst;
  }

  /** The distance that a true sample of this size exceeds once in 1,000 times. */
  public double limit() {
    return 1.95 / Math.sqrt(sorted.length);
  }

  /** Compares mean and coefficient of variation. */
  public void hasMoments(String given, double mean, double variation, double tolerance) {
    assertThat(mean()).as(given + ", mean").isCloseTo(mean, within(tolerance * mean));
    assertThat(variation())
        .as(given + ", coefficient of variation")
        .isCloseTo(variation, within(Math.max(1e-9, tolerance * variation)));
  }

  /** The standard normal, Abramowitz and Stegun 26.2.17, good to 7.5e-8. */
  public static double normalCdf(double x) {
    if (x < 0) {
      return 1 - normalCdf(-x);
    }
    final double t = 1 / (1 + 0.2316419 * x);
    final double poly =
        t
            * (0.319381530
                + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
    return 1 - Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI) * poly;
  }
}
