package dev.headway.faultsim.simulation;

import org.jspecify.annotations.Nullable;

/** Notes the first rule that does not hold, and when. */
final class RuleBook {

  private @Nullable Violation violation;
  private int step;

  /** What is noted from now on belongs to this step of the scenario. */
  void at(int stepOfScenario) {
    step = stepOfScenario;
  }

  /** The first rule that was broken, or null. */
  @Nullable Violation violation() {
    return violation;
  }

  boolean isBroken() {
    return violation != null;
  }

  /** Notes that a rule is broken; the first counts. */
  void violate(Rule rule, String message) {
    if (violation == null) {
      violation = new Violation(rule, step, message);
    }
  }

  /** For checks that are made seldom: {@code message} is made whether it holds or not. */
  void require(boolean holds, Rule rule, String message) {
    if (!holds) {
      violate(rule, message);
    }
  }
}
