package dev.headway.simulation.workload.length;

import dev.headway.simulation.workload.RandomStream;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** Lengths with weights: one number is drawn and looked up in the running sum. */
final class TableDistribution implements LengthDistribution {
  private static final int LARGEST_ZIPF = 1 << 20;

  private final int[] lengths;
  private final double[] upTo;

  private TableDistribution(int[] lengths, double[] weights) {
    this.lengths = lengths;
    this.upTo = weights;
    for (int i = 1; i < upTo.length; i++) {
      upTo[i] += upTo[i - 1];
    }
    final double sum = upTo.length == 0 ? 0 : upTo[upTo.length - 1];
    Lengths.require(
        sum > 0 && Double.isFinite(sum), "weights must have a finite sum > 0", "sum", sum);
  }

  static LengthDistribution of(Map<Integer, Double> weights) {
    final TreeMap<Integer, Double> used = new TreeMap<>();
    weights.forEach(
        (tokens, weight) -> {
          Lengths.requireTokens("tokens", tokens);
          Lengths.requireNotNegative("weight of " + tokens + " tokens", weight);
          if (weight > 0) {
            used.put(tokens, weight);
          }
        });
    return new TableDistribution(
        used.keySet().stream().mapToInt(Integer::intValue).toArray(),
        used.values().stream().mapToDouble(Double::doubleValue).toArray());
  }

  static LengthDistribution zipf(double exponent, int max) {
    Lengths.require(
        exponent >= 0 && exponent <= 20, "exponent must be in [0, 20]", "exponent", exponent);
    Lengths.require(
        max >= 1 && max <= LARGEST_ZIPF, "max must be in [1, " + LARGEST_ZIPF + "]", "max", max);
    final int[] lengths = new int[max];
    final double[] weights = new double[max];
    for (int i = 0; i < max; i++) {
      lengths[i] = i + 1;
      weights[i] = StrictMath.pow(i + 1.0, -exponent);
    }
    return new TableDistribution(lengths, weights);
  }

  @Override
  public int draw(RandomStream random) {
    final double wanted = random.nextDouble() * upTo[upTo.length - 1];
    final int found = Arrays.binarySearch(upTo, wanted);
    // a length has the numbers from the sum before it, included, to its own, excluded
    final int index = found >= 0 ? found + 1 : -found - 1;
    return lengths[Math.min(index, lengths.length - 1)];
  }
}
