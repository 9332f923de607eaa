package dev.headway.simulation.workload.arrival;

/** A cosine around a mean rate. */
final class DiurnalRate implements RateProfile {
  private static final int BISECTIONS = 80;

  private final double meanRate;
  private final double swingSeconds;
  private final double perSecond;
  private final double peakSeconds;
  private final double atStart;

  DiurnalRate(double meanRate, double peakToTrough, double periodSeconds, double peakSeconds) {
    this.meanRate = Ranges.requirePositive("rate", meanRate);
    Ranges.require("peakToTrough", peakToTrough, 1, Ranges.MOST);
    Ranges.requirePositive("periodSeconds", periodSeconds);
    this.peakSeconds = Ranges.requireNotNegative("peakSeconds", peakSeconds);
    this.perSecond = 2 * StrictMath.PI / periodSeconds;
    this.swingSeconds = (peakToTrough - 1) / (peakToTrough + 1) / perSecond;
    this.atStart = StrictMath.sin(-peakSeconds * perSecond);
  }

  @Override
  public double expectedBy(double seconds) {
    final double swing = StrictMath.sin((seconds - peakSeconds) * perSecond) - atStart;
    return meanRate * (seconds + swingSeconds * swing);
  }

  /** By bisection: the sum swings around the mean by at most twice the swing of the sine. */
  @Override
  public double timeOf(double expected) {
    if (expected == 0) {
      return 0;
    }
    final double mean = expected / meanRate;
    double low = Math.max(0, mean - 2 * swingSeconds);
    double high = mean + 2 * swingSeconds;
    for (int i = 0; i < BISECTIONS && low < high; i++) {
      final double middle = low + (high - low) / 2;
      if (expectedBy(middle) < expected) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }
}
