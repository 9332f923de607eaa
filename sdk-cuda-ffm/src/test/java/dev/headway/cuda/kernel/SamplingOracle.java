package dev.headway.cuda.kernel;

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
    double max = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < n; i++) {
      scaled[i] = logits[i] / row.temperature;
      max = Math.max(max, scaled[i]);
    }
    final boolean[] kept = new boolean[n];
    double total = 0;
    for (int i = 0; i < n; i++) {
      final int larger = countLarger(scaled, scaled[i]);
      kept[i] =
          scaled[i] >= max + Math.log(row.minP) - slack && (row.topK == 0 || larger < row.topK);
      total += kept[i] ? Math.exp(scaled[i] - max) : 0;
    }
    final boolean[] result = kept.clone();
    for (int i = 0; i < n && row.topP < 1; i++) {
      double above = 0;
      for (int j = 0; j < n; j++) {
        above += kept[j] && scaled[j] > scaled[i] ? Math.exp(scaled[j] - max) : 0;
      }
      result[i] &= above < (row.topP + slack) * total;
    }
    return result;
  }

  private static int countLarger(double[] values, double value) {
    int larger = 0;
    for (double other : values) {
      larger += other > value ? 1 : 0;
    }
    return larger;
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
