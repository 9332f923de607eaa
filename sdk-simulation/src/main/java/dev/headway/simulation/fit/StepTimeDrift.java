package dev.headway.simulation.fit;

/**
 * Says when predictions begin to be off in one direction, one step after the other: the test of
 * Page and Hinkley (Page, Biometrika 41, 1954) on the logarithm of measured over predicted, once
 * upwards and once downwards. A few odd steps are no drift; 1 % that stays is found after some
 * thousand steps, 20 % after some tens.
 *
 * <p>For a running engine as well: one division and one logarithm per step, no allocation. One
 * thread.
 */
public final class StepTimeDrift {

  /** Deviations up to this are no drift. */
  private static final double TOLERANCE = 0.005;

  /** The sum of the deviations that is one. */
  private static final double THRESHOLD = 4;

  /** One step says no more than this, whatever it was. */
  private static final double MOST = 0.3;

  private double up;
  private double down;
  private long steps;
  private boolean drifts;

  /** Starts without steps. */
  public StepTimeDrift() {}

  /**
   * Adds a step.
   *
   * @param predictedNs above 0
   * @param measuredNs above 0
   * @return whether predictions have drifted, by now or before
   */
  public boolean add(double predictedNs, double measuredNs) {
    final double off = Math.clamp(Math.log(measuredNs / predictedNs), -MOST, MOST);
    up = Math.max(0, up + off - TOLERANCE);
    down = Math.max(0, down - off - TOLERANCE);
    if (!drifts) {
      steps++;
      drifts = up > THRESHOLD || down > THRESHOLD;
    }
    return drifts;
  }

  /** Whether predictions have drifted. */
  public boolean drifts() {
    return drifts;
  }

  /** The number of steps up to the one at which they had; all of them if they have not. */
  public long steps() {
    return steps;
  }
}
