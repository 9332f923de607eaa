package dev.headway.executor.reference;

import dev.headway.executor.model.ExpertRouting.Scoring;
import dev.headway.executor.model.ExpertsShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** The router's formulas once more, in double precision and by sorting. */
final class RoutedOracle {

  private RoutedOracle() {}

  /** The weight of each expert for one token; 0 for those that it does not get. */
  static double[] weights(ExpertsShape shape, float[] logits, float[] correction) {
    final boolean softmax = shape.routing().scoring() == Scoring.SOFTMAX;
    final double[] scores = new double[logits.length];
    final double[] ranks = new double[logits.length];
    for (int e = 0; e < logits.length; e++) {
      scores[e] = softmax ? Math.exp(logits[e]) : 1 / (1 + Math.exp(-logits[e]));
      ranks[e] = softmax ? logits[e] : scores[e] + correction[e];
    }
    final int size = logits.length / shape.routing().groups();
    final double[] groups = new double[shape.routing().groups()];
    for (int g = 0; g < groups.length && size > 1; g++) {
      groups[g] =
          DoubleStream.of(ranks).skip((long) g * size).limit(size).sorted().skip(size - 2L).sum();
    }
    final List<Integer> keptGroups = best(groups, shape.routing().groupsPerToken());
    for (int e = 0; e < ranks.length; e++) {
      ranks[e] = keptGroups.contains(e / size) ? ranks[e] : Double.NEGATIVE_INFINITY;
    }
    final List<Integer> chosen = best(ranks, shape.expertsPerToken());
    double sum = 1;
    if (shape.routing().renormalise()) {
      sum = chosen.stream().mapToDouble(e -> scores[e]).sum() + (softmax ? 0 : 1e-20);
    } else if (softmax) {
      sum = DoubleStream.of(scores).sum();
    }
    final double[] weights = new double[scores.length];
    for (int e : chosen) {
      weights[e] = scores[e] / sum * shape.routing().scalingFactor();
    }
    return weights;
  }

  /** Indices of the largest; of equal ones the lower. */
  private static List<Integer> best(double[] values, int count) {
    final List<Integer> indices =
        new ArrayList<>(IntStream.range(0, values.length).boxed().toList());
    indices.sort(Comparator.comparingDouble(i -> -values[i])); // stable
    return indices.subList(0, count);
  }
}
