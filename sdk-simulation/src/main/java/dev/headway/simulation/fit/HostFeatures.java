package dev.headway.simulation.fit;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.regression.Feature;

/** What the host has to do for a step: plan it, prepare its inputs, sample, send tokens. */
final class HostFeatures extends StepFeatureSet {

  HostFeatures() {
    super(
        Feature.added("step", ""),
        Feature.added("request", "requests"),
        Feature.added("new_request", "requests"),
        Feature.added("token", "tokens"));
  }

  @Override
  void fill(StepFeatures step, double[] into) {
    into[0] = 1;
    into[1] = step.requests();
    into[2] = step.newRequests();
    into[3] = step.totalTokens();
  }
}
