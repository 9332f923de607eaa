package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the time of a step is predicted from: one number per feature. One thread. */
abstract class StepFeatureSet {

  private final Feature[] features;

  /** A set of these features, in this order; the array is not copied. */
  StepFeatureSet(Feature... features) {
    this.features = features;
  }

  /** The features in their order; not to be changed. */
  @SuppressWarnings("ReferenceReturnedToCaller")
  final Feature[] features() {
    return features;
  }

  /** Fills in the features of a step with requests. */
  abstract void fill(StepFeatures step, double[] into);
}
