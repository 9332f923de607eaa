package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Gram;

/**
 * The error on blocks of time that were not fitted: steps next to each other are alike, so that
 * random folds would say too little. Five blocks, each predicted from the other four.
 *
 * @param meanError mean over the blocks of the mean of the absolute errors, relative to the step
 * @param standardError of that mean
 */
public record CrossValidation(double meanError, double standardError) {

  private static final int BLOCKS = 5;

  static CrossValidation of(Design design, StepPart part, StepTimeForm form, double strength) {
    final PartFitter fitter = new PartFitter(design, part, form, strength);
    final double[] weights = new double[design.size()];
    for (int row = 0; row < weights.length; row++) {
      weights[row] = 1 / (design.stepNs(row) * design.stepNs(row));
    }
    final Gram[] blocks = new Gram[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      blocks[block] = fitter.gram(weights, begin(design, block), begin(design, block + 1));
    }
    double sum = 0;
    double squares = 0;
    for (int block = 0; block < BLOCKS; block++) {
      final Gram others = new Gram(design.features().length);
      for (int other = 0; other < BLOCKS; other++) {
        if (other != block) {
          others.add(blocks[other]);
        }
      }
      final double error =
          error(design, fitter.solve(others), begin(design, block), begin(design, block + 1));
      sum += error;
      squares += error * error;
    }
    final double mean = sum / BLOCKS;
    final double variance = Math.max(0, squares / BLOCKS - mean * mean) * BLOCKS / (BLOCKS - 1);
    return new CrossValidation(mean, Math.sqrt(variance / BLOCKS));
  }

  private static int begin(Design design, int block) {
    return (int) ((long) design.size() * block / BLOCKS);
  }

  private static double error(Design design, double[] coefficients, int from, int to) {
    double sum = 0;
    for (int row = from; row < to; row++) {
      sum +=
          Math.abs(design.predicted(row, coefficients) - design.target(row)) / design.stepNs(row);
    }
    return sum / Math.max(1, to - from);
  }
}
