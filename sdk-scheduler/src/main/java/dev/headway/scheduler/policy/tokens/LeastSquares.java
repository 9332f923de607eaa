package dev.headway.scheduler.policy.tokens;

/**
 * Recursive least squares with exponential forgetting. For features x and an observed y,
 *
 * <pre>{@code
 * k     = P x / (forgetting + x' P x)
 * theta = theta + k (y - theta' x)
 * P     = (P - k x' P) / forgetting
 * }</pre>
 *
 * <p>P is not divided while its trace is beyond where it began: otherwise it would grow without
 * bound in directions that are never observed, and the first step there would throw the fit off.
 *
 * <p>Source: Åström and Wittenmark, Adaptive Control, section 2.2. Not thread-safe; allocates
 * nothing once made.
 */
final class LeastSquares {

  private final int size;
  private final double forgetting;
  private final double largestTrace;
  private final double[] theta;
  private final double[] p;
  private final double[] px;
  private long observations;

  /**
   * Makes a fit that begins with 0.
   *
   * @param forgetting in (0, 1]; 1 forgets nothing
   * @param doubt variance of what it begins with; the larger, the sooner it follows
   */
  LeastSquares(int size, double forgetting, double doubt) {
    this.size = size;
    this.forgetting = forgetting;
    largestTrace = size * doubt;
    theta = new double[size];
    px = new double[size];
    p = new double[size * size];
    for (int i = 0; i < size; i++) {
      p[i * size + i] = doubt;
    }
  }

  void set(int index, double coefficient) {
    theta[index] = coefficient;
  }

  double coefficient(int index) {
    return theta[index];
  }

  long observations() {
    return observations;
  }

  void observe(double[] x, double y) {
    double predicted = 0;
    double gain = forgetting;
    for (int i = 0; i < size; i++) {
      px[i] = 0;
      for (int j = 0; j < size; j++) {
        px[i] += p[i * size + j] * x[j];
      }
      predicted += theta[i] * x[i];
      gain += x[i] * px[i];
    }
    final double keep = trace() < largestTrace ? forgetting : 1;
    for (int i = 0; i < size; i++) {
      theta[i] += px[i] / gain * (y - predicted);
      for (int j = 0; j < size; j++) {
        p[i * size + j] = (p[i * size + j] - px[i] * px[j] / gain) / keep;
      }
    }
    observations++;
  }

  private double trace() {
    double trace = 0;
    for (int i = 0; i < size; i++) {
      trace += p[i * size + i];
    }
    return trace;
  }
}
