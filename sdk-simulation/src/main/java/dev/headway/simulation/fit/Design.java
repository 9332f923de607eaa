package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;
import java.util.List;

/**
 * Features and targets of one part of the steps that are fitted, in the order of time within each
 * run. Not to be changed.
 */
final class Design {

  private final Feature[] features;
  private final double[][] rows;
  private final double[] targets;
  private final double[] stepNs;

  private Design(Feature[] features, int size) {
    this.features = features;
    rows = new double[size][features.length];
    targets = new double[size];
    stepNs = new double[size];
  }

  /**
   * The first part of the time of every run.
   *
   * @param share how much of it
   */
  static Design of(
      List<RecordedRun> runs, double share, StepPart part, StepTimeForm form, double sharpness) {
    final int size = runs.stream().mapToInt(run -> run.split(share)).sum();
    final Design design = new Design(set(runs.getFirst(), part, form, sharpness).features(), size);
    final StepFeatures step = new StepFeatures();
    int at = 0;
    for (RecordedRun run : runs) {
      final StepFeatureSet set = set(run, part, form, sharpness);
      for (int row = 0; row < run.split(share); row++) {
        run.steps().features(row, step);
        set.fill(step, design.rows[at]);
        design.targets[at] = part.measuredNs(run.steps(), row);
        design.stepNs[at++] = (double) run.steps().stepNs(row);
      }
    }
    return design;
  }

  private static StepFeatureSet set(
      RecordedRun run, StepPart part, StepTimeForm form, double sharpness) {
    return FittedPart.features(part, form, sharpness, run.pass(), run.gpu(), run.kernels());
  }

  Feature[] features() {
    return features;
  }

  int size() {
    return targets.length;
  }

  double[] row(int row) {
    return rows[row];
  }

  double target(int row) {
    return targets[row];
  }

  /** The whole step that a row is of: what errors are relative to. */
  double stepNs(int row) {
    return stepNs[row];
  }

  double predicted(int row, double[] coefficients) {
    double sum = 0;
    for (int i = 0; i < coefficients.length; i++) {
      sum += coefficients[i] * rows[row][i];
    }
    return sum;
  }
}
