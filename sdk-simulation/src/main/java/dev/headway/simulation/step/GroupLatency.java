package dev.headway.simulation.step;

import dev.headway.api.step.StepFeatures;
import java.util.List;

/** How long a step takes that several ranks of one server run together. */
@FunctionalInterface
public interface GroupLatency {

  /**
   * The duration in ns, the same for all of them.
   *
   * @param ranks what each of them runs, at least one of them something; one that runs nothing
   *     takes part with a token of no request
   */
  long groupStepNs(List<StepFeatures> ranks);
}
