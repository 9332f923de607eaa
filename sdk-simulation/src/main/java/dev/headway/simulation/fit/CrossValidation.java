package dev.headway.simulation.fit;

import dev.headway.simulation.regression.Gram;
import java.util.stream.IntStream;

/**
 * The error on steps that were not fitted: on blocks of time, each predicted from the others, and
 * on other loads, as {@link Folds#ofLoads} makes them of the same steps.
 *
 * @param meanError mean over the blocks of time of the mean of the absolute errors, relative to the
 *     step
 * @param standardError of that mean
 * @param loadError the same mean over the loads; NaN if no other load can be made of the steps
 */
public record CrossValidation(double meanError, double standardError, double loadError) {

  static CrossValidation of(
      Design design,
      Folds times,
      Folds loads,
      StepPart part,
      FormSettings settings,
      double strength) {
    final PartFitter fitter = new PartFitter(design, part, settings, strength);
    final double[] byTime = errors(design, fitter, times);
    double sum = 0;
    double squares = 0;
    for (double error : byTime) {
      sum += error;
      squares += error * error;
    }
    final int blocks = byTime.length;
    final double mean = sum / blocks;
    final double variance = Math.max(0, squares / blocks - mean * mean) * blocks / (blocks - 1);
    double ofLoads = 0;
    final double[] others = errors(design, fitter, loads);
    for (double error : others) {
      ofLoads += error;
    }
    return new CrossValidation(mean, Math.sqrt(variance / blocks), ofLoads / others.length);
  }

  /**
   * By which forms are compared: the geometric mean, so that half the error in other times weighs
   * as much as half of it under other loads, where all forms may be far off.
   */
  double score() {
    return Double.isNaN(loadError) ? meanError : Math.sqrt(meanError * loadError);
  }

  /** The mean error of each part that has rows, while others have some too. */
  private static double[] errors(Design design, PartFitter fitter, Folds folds) {
    final double[] weights = fitter.firstWeights();
    final int columns = design.features().length;
    final Gram[] grams = new Gram[folds.count() + 1]; // the last of rows in no part
    final int[] sizes = new int[folds.count()];
    for (int fold = 0; fold <= folds.count(); fold++) {
      grams[fold] = new Gram(columns);
    }
    for (int row = 0; row < design.size(); row++) {
      final int fold = folds.of()[row];
      grams[fold < 0 ? folds.count() : fold].add(design.row(row), design.target(row), weights[row]);
      if (fold >= 0) {
        sizes[fold]++;
      }
    }
    return IntStream.range(0, folds.count())
        .filter(fold -> sizes[fold] > 0 && sizes[fold] < design.size())
        .mapToDouble(fold -> error(design, fitter.solve(others(grams, fold, columns)), folds, fold))
        .toArray();
  }

  private static Gram others(Gram[] grams, int fold, int columns) {
    final Gram others = new Gram(columns);
    for (int other = 0; other < grams.length; other++) {
      if (other != fold) {
        others.add(grams[other]);
      }
    }
    return others;
  }

  private static double error(Design design, double[] coefficients, Folds folds, int fold) {
    double sum = 0;
    int rows = 0;
    for (int row = 0; row < design.size(); row++) {
      if (folds.of()[row] == fold) {
        sum +=
            Math.abs(design.predicted(row, coefficients) - design.target(row)) / design.stepNs(row);
        rows++;
      }
    }
    return sum / rows;
  }
}
