package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the operators of a step take, and the pieces that bend it to a machine. */
final class PiecewiseFeatures implements StepFeatureSet {

  private final OperatorFeatures operators;
  private final Pieces pieces;
  private final Feature[] features;

  PiecewiseFeatures(OperatorFeatures operators, RowClasses classes) {
    this.operators = operators;
    pieces = new Pieces(classes);
    final Feature[] physical = operators.features();
    features = new Feature[physical.length + pieces.count()];
    System.arraycopy(physical, 0, features, 0, physical.length);
    pieces.name(features, physical.length);
  }

  @Override
  @SuppressWarnings("ReferenceReturnedToCaller")
  public Feature[] features() {
    return features;
  }

  @Override
  public void fill(StepFeatures step, double[] into) {
    operators.fill(step, into);
    pieces.fill(step, into, operators.features().length);
  }
}
