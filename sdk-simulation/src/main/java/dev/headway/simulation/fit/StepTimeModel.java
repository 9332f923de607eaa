package dev.headway.simulation.fit;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.model.ForwardPass;
import java.util.Arrays;

/**
 * The duration of a step as a sum of terms with fitted coefficients: what its operators take at the
 * device's peaks, each divided by the share of the peak that they reach, and what the host adds. No
 * share is above 1, so no step is faster than the device.
 *
 * <p>One thread; allocates nothing.
 */
public final class StepTimeModel implements LatencyModel {

  private final StepTerms terms;
  private final double[] coefficients;
  private final double[] row = new double[Term.values().length];
  private final String name;

  /**
   * A model with given coefficients.
   *
   * @param coefficients in the order of {@link Term}
   * @throws IllegalArgumentException if one is below its bound; names it
   */
  StepTimeModel(ForwardPass pass, GpuSpec gpu, double[] coefficients) {
    this.terms = new StepTerms(pass, gpu);
    this.coefficients = coefficients.clone();
    this.name = pass.model() + " on " + pass.parallelism().devices() + " x " + gpu.name();
    for (Term term : Term.values()) {
      if (!(coefficient(term) >= term.lowerBound())) {
        throw new IllegalArgumentException(
            "a coefficient must be >= "
                + term.lowerBound()
                + ": "
                + term.label()
                + "="
                + coefficient(term));
      }
    }
  }

  /** The coefficient of a term: one over a share of the peaks, or nanoseconds. */
  @SuppressWarnings("EnumOrdinal") // an index within this process
  public double coefficient(Term term) {
    return coefficients[term.ordinal()];
  }

  @Override
  public long stepNs(StepFeatures step) {
    return step.requests() == 0 ? 0 : Math.round(ns(step));
  }

  private double ns(StepFeatures step) {
    terms.fill(step, row);
    double ns = 0;
    for (int i = 0; i < row.length; i++) {
      ns += coefficients[i] * row[i];
    }
    return ns;
  }

  double[] coefficients() {
    return coefficients.clone();
  }

  @Override
  public String toString() {
    return "fitted step times of " + name + ", " + Arrays.toString(coefficients);
  }
}
