package dev.headway.api.step;

/**
 * How long an executor takes for a step. Used by the simulated executor; implement it to supply a
 * custom model, fitted or learned.
 *
 * <p>Called on the engine thread, once per step, in the order of the steps. Should not allocate.
 */
@FunctionalInterface
public interface LatencyModel {

  /**
   * Returns the duration of a step, from its submission to its output, in nanoseconds, >= 0. A step
   * without entries may still move blocks.
   *
   * @param step reused for the next step: neither keep nor change it
   */
  long stepNs(StepFeatures step);
}
