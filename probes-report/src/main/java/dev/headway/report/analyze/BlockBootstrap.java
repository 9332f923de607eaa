package dev.headway.report.analyze;

import dev.headway.toolbox.stats.Quantile;
import dev.headway.toolbox.stats.SortedSample;
import java.util.Arrays;
import java.util.Random;

/**
 * The percentile bootstrap over blocks of consecutive steps (Carlstein 1986): a step resembles its
 * neighbours, so single steps drawn at random would make intervals too narrow. Blocks are as long
 * as the cube root of the number of steps, and longer if there were more than {@value #MAX_BLOCKS}
 * of them.
 *
 * <p>A quantile is taken of {@value #BINS} bins of equal rank, so it is exact for up to that many
 * steps and within a thousandth of rank beyond. Equal seeds give equal intervals.
 */
final class BlockBootstrap {

  static final int RESAMPLES = 1_000;

  private static final int MAX_BLOCKS = 400;
  private static final int BINS = 1_000;

  private final int steps;
  private final int blockLength;
  private final int blocks;
  private final int[][] draws;

  /** Draws once; all figures look at the same draws. */
  BlockBootstrap(int steps, long seed) {
    this.steps = steps;
    final int cubeRoot = Math.max(1, (int) Math.round(Math.cbrt(steps)));
    blockLength = Math.max(cubeRoot, (steps + MAX_BLOCKS - 1) / MAX_BLOCKS);
    blocks = (steps + blockLength - 1) / blockLength;
    draws = new int[RESAMPLES][blocks];
    final Random random = new Random(seed);
    for (int[] draw : draws) {
      for (int i = 0; i < blocks; i++) {
        draw[random.nextInt(blocks)]++;
      }
    }
  }

  /** The mean of each resample. */
  double[] means(Samples samples) {
    final double[] sums = new double[blocks];
    final double[] counts = new double[blocks];
    for (int step = 0; step < steps; step++) {
      if (!Double.isNaN(samples.at(step))) {
        sums[step / blockLength] += samples.at(step);
        counts[step / blockLength]++;
      }
    }
    return quotients(sums, counts);
  }

  /** Sum of one by sum of the other, times {@code scale}, of each resample. */
  double[] quotients(Samples over, Samples under, double scale) {
    final double[] sums = new double[blocks];
    final double[] divisors = new double[blocks];
    for (int step = 0; step < steps; step++) {
      if (!Double.isNaN(over.at(step)) && !Double.isNaN(under.at(step))) {
        sums[step / blockLength] += scale * over.at(step);
        divisors[step / blockLength] += under.at(step);
      }
    }
    return quotients(sums, divisors);
  }

  /** The quantile of each resample. */
  double[] quantiles(Samples samples, double share) {
    final SortedSample sorted = samples.sorted();
    final double[] edges = edges(sorted);
    final int[][] counts = new int[blocks][edges.length];
    for (int step = 0; step < steps; step++) {
      if (!Double.isNaN(samples.at(step))) {
        counts[step / blockLength][bin(edges, samples.at(step))]++;
      }
    }
    final double[] found = new double[RESAMPLES];
    final long[] drawn = new long[edges.length];
    for (int resample = 0; resample < RESAMPLES; resample++) {
      Arrays.fill(drawn, 0);
      for (int block = 0; block < blocks; block++) {
        final int times = draws[resample][block];
        if (times > 0) {
          for (int bin = 0; bin < drawn.length; bin++) {
            drawn[bin] += (long) times * counts[block][bin];
          }
        }
      }
      found[resample] = quantile(drawn, edges, share);
    }
    return found;
  }

  private double[] quotients(double[] sums, double[] divisors) {
    final double[] found = new double[RESAMPLES];
    for (int resample = 0; resample < RESAMPLES; resample++) {
      double sum = 0;
      double divisor = 0;
      for (int block = 0; block < blocks; block++) {
        sum += draws[resample][block] * sums[block];
        divisor += draws[resample][block] * divisors[block];
      }
      found[resample] = sum / divisor;
    }
    return found;
  }

  /** The upper edges of the bins, all different. */
  private static double[] edges(SortedSample sorted) {
    final int bins = Math.min(BINS, sorted.count());
    final double[] edges = new double[bins];
    for (int bin = 0; bin < bins; bin++) {
      edges[bin] = sorted.quantile(bins == 1 ? 1 : (double) bin / (bins - 1));
    }
    return Arrays.stream(edges).distinct().toArray();
  }

  private static int bin(double[] edges, double value) {
    final int found = Arrays.binarySearch(edges, value);
    return found >= 0 ? found : Math.min(-found - 1, edges.length - 1);
  }

  private static double quantile(long[] counts, double[] edges, double share) {
    return Quantile.of(rank -> atRank(counts, edges, rank), Arrays.stream(counts).sum(), share);
  }

  private static double atRank(long[] counts, double[] edges, long rank) {
    long passed = 0;
    for (int bin = 0; bin < counts.length; bin++) {
      passed += counts[bin];
      if (passed > rank) {
        return edges[bin];
      }
    }
    return edges[edges.length - 1];
  }
}
