package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the host has to do for a step: plan it, prepare its inputs, sample, send tokens. */
final class HostFeatures implements StepFeatureSet {

  private final Feature[] features = {
    Feature.added("step", ""),
    Feature.added("request", "requests"),
    Feature.added("new_request", "requests"),
    Feature.added("token", "tokens")
  };

  @Override
  public Feature[] features() {
    return features;
  }

  @Override
  public void fill(StepFeatures step, double[] into) {
    into[0] = 1;
    into[1] = step.requests();
    into[2] = step.newRequests();
    into[3] = step.totalTokens();
  }
}
