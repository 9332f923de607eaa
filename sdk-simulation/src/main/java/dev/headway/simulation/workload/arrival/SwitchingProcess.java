package dev.headway.simulation.workload.arrival;

import dev.headway.simulation.workload.RandomStream;

/**
 * A Poisson process whose rate is one of two, by the state of a Markov chain in continuous time.
 */
record SwitchingProcess(
    double firstRate, double secondRate, double firstSeconds, double secondSeconds)
    implements ArrivalProcess {

  SwitchingProcess {
    Ranges.requireNotNegative("firstRate", firstRate);
    Ranges.requireNotNegative("secondRate", secondRate);
    Ranges.requirePositive("firstRate + secondRate", firstRate + secondRate);
    Ranges.requirePositive("firstSeconds", firstSeconds);
    Ranges.requirePositive("secondSeconds", secondSeconds);
  }

  @Override
  public ArrivalTimes start(long seed) {
    return new Times(this, RandomStream.of(seed, "arrival"), RandomStream.of(seed, "state"));
  }

  private static final class Times implements ArrivalTimes {
    private final SwitchingProcess process;
    private final RandomStream arrivals;
    private final RandomStream states;
    private boolean first;
    private double now;
    private double switchAt;

    Times(SwitchingProcess process, RandomStream arrivals, RandomStream states) {
      this.process = process;
      this.arrivals = arrivals;
      this.states = states;
      final double both = process.firstSeconds + process.secondSeconds;
      first = states.nextDouble() < process.firstSeconds / both;
      switchAt = sojourn();
    }

    private double sojourn() {
      return states.nextExponential() * (first ? process.firstSeconds : process.secondSeconds);
    }

    /** Spends a unit exponential at the rates of the states that pass meanwhile. */
    @Override
    public double next() {
      double wanted = arrivals.nextExponential();
      while (true) {
        final double rate = first ? process.firstRate : process.secondRate;
        final double here = rate * (switchAt - now);
        if (wanted < here) {
          now += wanted / rate;
          return now;
        }
        wanted -= here;
        now = switchAt;
        first = !first;
        switchAt = now + sojourn();
      }
    }
  }
}
