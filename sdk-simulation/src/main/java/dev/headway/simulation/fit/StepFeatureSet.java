package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the time of a step is predicted from: one number per feature. One thread. */
interface StepFeatureSet {

  /** The features in their order; not to be changed. */
  Feature[] features();

  /** Fills in the features of a step with requests. */
  void fill(StepFeatures step, double[] into);
}
