package dev.headway.events.model;

/** Is notified of steps. One thread. */
public interface StepListener {

  /** A step was planned and its decisions have taken effect; its output is not known. */
  default void onPlanned(StepTimeline step) {}

  /** A step is done. In the order of the steps. */
  default void onStep(StepTimeline step) {}

  /** A step was planned and its completion is missing: it has no output. */
  default void onLost(StepTimeline step) {}
}
