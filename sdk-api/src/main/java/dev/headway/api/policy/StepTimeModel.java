package dev.headway.api.policy;

import dev.headway.api.step.StepFeatures;

/** Predicts step durations, and may learn from completed steps. Engine thread only. */
public interface StepTimeModel {

  /**
   * Predicts the duration of a step, in nanoseconds, >= 0; {@link dev.headway.api.Absent#ABSENT} if
   * it cannot, or not yet.
   *
   * @param step what the step is to compute; reused, so neither keep nor change it
   */
  long estimateNs(StepFeatures step);

  /**
   * A step took {@code durationNs}, from its submission to its output.
   *
   * @param step what it has computed; reused, so neither keep nor change it
   */
  default void observe(StepFeatures step, long durationNs) {}
}
