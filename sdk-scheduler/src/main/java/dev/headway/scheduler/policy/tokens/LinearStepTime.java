package dev.headway.scheduler.policy.tokens;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.step.StepFeatures;

/**
 * Predicts the duration of a step as a linear function of its shape, in microseconds:
 *
 * <pre>{@code
 * a + b * prefillTokens + c * decodeRequests + d * decodeContextTokens
 * }</pre>
 *
 * <p>of {@link StepFeatures}, with given coefficients, or with coefficients that {@link
 * LeastSquares} learns from the steps. Learned negative ones count as 0, so that estimates never
 * sink when a step grows. Nothing is known before {@value #FIRST_ESTIMATE} steps were observed.
 *
 * <p>Source: the usual affine model of a step: weights are read once, a token of a prompt costs
 * compute, a context token costs memory traffic. Attention over a long prompt, quadratic in its
 * length, is not in it.
 */
public final class LinearStepTime implements StepTimeModel {

  static final int FIRST_ESTIMATE = 8;

  private static final double US = 1e3;

  /** Brings the features to about 1, so that the fit is well conditioned. */
  private static final double[] SCALE = {1, 1.0 / 1024, 1.0 / 64, 1.0 / 65536};

  private final LeastSquares fit;
  private final boolean learns;
  private final double[] features = new double[4];

  private LinearStepTime(LeastSquares fit, boolean learns) {
    this.fit = fit;
    this.learns = learns;
  }

  /**
   * Returns a model with fixed coefficients, in microseconds.
   *
   * @param a per step
   * @param b per prefill token
   * @param c per decoding request
   * @param d per context token of the decoding requests
   */
  public static LinearStepTime fixed(double a, double b, double c, double d) {
    final LeastSquares fit = new LeastSquares(4, 1, 0);
    final double[] given = {a, b, c, d};
    for (int i = 0; i < given.length; i++) {
      fit.set(i, given[i] / SCALE[i]);
    }
    return new LinearStepTime(fit, false);
  }

  /** Returns a model that learns and forgets slowly: half of a weight is gone after 350 steps. */
  public static LinearStepTime learning() {
    return learning(0.998);
  }

  /**
   * Returns a model that learns.
   *
   * @param forgetting weight of an observation against the next one, in (0, 1]
   */
  public static LinearStepTime learning(double forgetting) {
    return new LinearStepTime(new LeastSquares(4, forgetting, 1e6), true);
  }

  @Override
  public long estimateNs(StepFeatures step) {
    if (learns && fit.observations() < FIRST_ESTIMATE) {
      return ABSENT;
    }
    shape(step);
    double us = 0;
    for (int i = 0; i < features.length; i++) {
      us += Math.max(0, fit.coefficient(i)) * features[i];
    }
    return (long) (us * US);
  }

  @Override
  public void observe(StepFeatures step, long durationNs) {
    if (learns) {
      shape(step);
      fit.observe(features, durationNs / US);
    }
  }

  private void shape(StepFeatures step) {
    features[0] = SCALE[0];
    features[1] = step.prefillTokens() * SCALE[1];
    features[2] = step.decodeRequests() * SCALE[2];
    features[3] = step.decodeContextTokens() * SCALE[3];
  }
}
