package dev.headway.simulation.workload.arrival;

/** A rate that grows or falls by a constant factor per second, and then stays. */
final class ExponentialRamp implements RateProfile {
  private final double fromRate;
  private final double toRate;
  private final double rampSeconds;
  private final double growth;
  private final double expectedInRamp;

  ExponentialRamp(double fromRate, double toRate, double rampSeconds) {
    this.fromRate = Ranges.requirePositive("fromRate", fromRate);
    this.toRate = Ranges.requirePositive("toRate", toRate);
    this.rampSeconds = Ranges.requirePositive("seconds", rampSeconds);
    this.growth = StrictMath.log(toRate / fromRate) / rampSeconds;
    this.expectedInRamp = (toRate - fromRate) / growth;
  }

  @Override
  public double expectedBy(double seconds) {
    return seconds <= rampSeconds
        ? fromRate * StrictMath.expm1(growth * seconds) / growth
        : expectedInRamp + toRate * (seconds - rampSeconds);
  }

  @Override
  public double timeOf(double expected) {
    return expected <= expectedInRamp
        ? Math.min(rampSeconds, StrictMath.log1p(expected * growth / fromRate) / growth)
        : rampSeconds + (expected - expectedInRamp) / toRate;
  }
}
