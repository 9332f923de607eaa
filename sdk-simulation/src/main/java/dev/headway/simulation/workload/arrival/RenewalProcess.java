package dev.headway.simulation.workload.arrival;

import dev.headway.simulation.workload.RandomStream;

/** Independent gaps of mean 1, on the clock of a rate profile. */
record RenewalProcess(Gaps gaps, RateProfile rate) implements ArrivalProcess {

  @Override
  public ArrivalTimes start(long seed) {
    return new Times(gaps, rate, RandomStream.of(seed, "arrival"));
  }

  private static final class Times implements ArrivalTimes {
    private final Gaps gaps;
    private final RateProfile rate;
    private final RandomStream random;
    private double expected;

    Times(Gaps gaps, RateProfile rate, RandomStream random) {
      this.gaps = gaps;
      this.rate = rate;
      this.random = random;
    }

    @Override
    public double next() {
      expected += gaps.next(random);
      return rate.timeOf(expected);
    }
  }
}
