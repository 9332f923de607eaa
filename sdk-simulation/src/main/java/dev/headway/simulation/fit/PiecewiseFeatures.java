package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the operators of a step take, and the pieces that bend it to a machine. */
final class PiecewiseFeatures extends StepFeatureSet {

  private final OperatorFeatures operators;
  private final Pieces pieces;

  PiecewiseFeatures(OperatorFeatures operators, RowClasses classes) {
    this(operators, new Pieces(classes));
  }

  private PiecewiseFeatures(OperatorFeatures operators, Pieces pieces) {
    super(named(operators.features(), pieces));
    this.operators = operators;
    this.pieces = pieces;
  }

  private static Feature[] named(Feature[] physical, Pieces pieces) {
    final Feature[] features = new Feature[physical.length + pieces.count()];
    System.arraycopy(physical, 0, features, 0, physical.length);
    pieces.name(features, physical.length);
    return features;
  }

  @Override
  void fill(StepFeatures step, double[] into) {
    operators.fill(step, into);
    pieces.fill(step, into, operators.features().length);
  }
}
