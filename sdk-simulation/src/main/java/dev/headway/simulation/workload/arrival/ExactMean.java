package dev.headway.simulation.workload.arrival;

/** Stretches the arrivals of a process to an exact mean rate. */
record ExactMean(ArrivalProcess process, int requests, double ratePerSecond)
    implements ArrivalProcess {

  ExactMean {
    Ranges.require("requests", requests, 1, Integer.MAX_VALUE);
    Ranges.requirePositive("ratePerSecond", ratePerSecond);
  }

  @Override
  public ArrivalTimes start(long seed) {
    final ArrivalTimes rehearsal = process.start(seed);
    double last = 0;
    for (int i = 0; i < requests; i++) {
      last = rehearsal.next();
    }
    final double total = requests / ratePerSecond;
    final double factor = last > 0 && last < Double.POSITIVE_INFINITY ? total / last : 1;
    final ArrivalTimes times = process.start(seed);
    return () -> times.next() * factor;
  }
}
