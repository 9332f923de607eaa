package dev.headway.cuda.kernel;

import java.util.Arrays;

/** Sampling in double precision, as {@code sampling.cu} defines it. */
final class SamplingOracle {
  private SamplingOracle() {}

  /** Parameters of one row. */
  record Row(float temperature, int topK, float topP, float minP, long seed, int position) {}

  /** What was drawn, and by how much the winner was ahead. */
  record Draw(int token, double margin) {}

  static int philox(long seed, int token, int position) {
    int c0 = token;
    int c1 = position;
    int c2 = 0;
    int c3 = 0;
    int k0 = (int) seed;
    int k1 = (int) (seed >>> 32);
    for (int round = 0; round < 10; round++) {
      final long p0 = (c0 & 0xffffffffL) * 0xD2511F53L;
      final long p1 = (c2 & 0xffffffffL) * 0xCD9E8D57L;
      c0 = (int) (p1 >>> 32) ^ c1 ^ k0;
      c2 = (int) (p0 >>> 32) ^ c3 ^ k1;
      c1 = (int) p1;
      c3 = (int) p0;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    return c0;
  }

  static double gumbel(int word) {
    final double u = ((word >>> 8) + 0.5) / (1 << 24);
    return -Math.log(-Math.log(u));
  }

  /** Which tokens are kept; {@code slack} moves the limits of min-p and top-p a little. */
  static boolean[] kept(float[] logits, Row row, double slack) {
    final int n = logits.length;
    final double[] scaled = new double[n];
    for (int i = 0; i < n; i++) {
      scaled[i] = logits[i] / row.temperature;
    }
    final double[] sorted = scaled.clone();
    Arrays.sort(sorted); // 0 and -0 are told apart here, but of equal weight
    final double max = sorted[n - 1];
    final double kth = row.topK == 0 || row.topK > n ? sorted[0] : sorted[n - row.topK];
    final double least = Math.max(kth, max + Math.log(row.minP) - slack);
    double total = 0;
    for (int i = n - 1; i >= 0 && sorted[i] >= least; i--) {
      total += Math.exp(sorted[i] - max);
    }
    double limit = max;
    double above = 0;
    for (int i = n - 1; i >= 0 && sorted[i] >= least; i--) {
      if (row.topP < 1 && above >= (row.topP + slack) * total) {
        break;
      }
      limit = sorted[i];
      above += Math.exp(sorted[i] - max);
    }
    final boolean[] kept = new boolean[n];
    for (int i = 0; i < n; i++) {
      kept[i] = scaled[i] >= limit;
    }
    return kept;
  }

  static Draw draw(float[] logits, Row row, double slack) {
    final boolean[] kept = kept(logits, row, slack);
    int best = -1;
    double bestScore = Double.NEGATIVE_INFINITY;
    double second = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < logits.length; i++) {
      if (!kept[i]) {
        continue;
      }
      final double score = logits[i] / row.temperature + gumbel(philox(row.seed, i, row.position));
      if (score > bestScore) {
        second = bestScore;
        bestScore = score;
        best = i;
      } else {
        second = Math.max(second, score);
      }
    }
    return new Draw(best, bestScore - second);
  }
}
