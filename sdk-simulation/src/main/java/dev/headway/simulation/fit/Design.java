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
  private final int[] kinds;

  private Design(Feature[] features, int size) {
    this.features = features;
    rows = new double[size][features.length];
    targets = new double[size];
    stepNs = new double[size];
    kinds = new int[size];
  }

  /** The rows of a part, with the features that the settings make. */
  static Design of(List<RunRows> runs, StepPart part, FormSettings settings) {
    final Feature[] features = set(runs.getFirst().run(), part, settings).features();
    final Design design = new Design(features, RunRows.size(runs));
    final StepFeatures step = new StepFeatures();
    int at = 0;
    for (RunRows some : runs) {
      final RecordedSteps steps = some.run().steps();
      final StepFeatureSet set = set(some.run(), part, settings);
      for (int row : some.rows()) {
        steps.features(row, step);
        set.fill(step, design.rows[at]);
        design.kinds[at] = RunRows.kind(step);
        design.targets[at] = part.measuredNs(steps, row);
        design.stepNs[at++] = (double) steps.stepNs(row);
      }
    }
    return design;
  }

  private static StepFeatureSet set(RecordedRun run, StepPart part, FormSettings settings) {
    return FittedPart.features(part, settings, run.pass(), run.gpu(), run.kernels());
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

  /** What the step of a row computes, and its requests to a power of two. */
  int kind(int row) {
    return kinds[row];
  }

  double predicted(int row, double[] coefficients) {
    double sum = 0;
    for (int i = 0; i < coefficients.length; i++) {
      sum += coefficients[i] * rows[row][i];
    }
    return sum;
  }
}
