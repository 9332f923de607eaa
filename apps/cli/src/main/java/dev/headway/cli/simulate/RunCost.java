package dev.headway.cli.simulate;

import dev.headway.simulation.run.RunFigures;

/**
 * What a run cost this machine; differs from run to run.
 *
 * @param isRealTime whether the run itself was in real time
 * @param simulationNs real time from the first to the last request
 * @param scheduling of steps that computed something; of none if it was not measured
 * @param conversionNs real time of the conversion to CSV; 0 without one
 * @param csvRows rows written, over all files
 * @param footprint memory taken
 */
record RunCost(
    boolean isRealTime,
    long simulationNs,
    RunFigures.Percentiles scheduling,
    long conversionNs,
    long csvRows,
    Footprint footprint) {

  static double perSecond(long count, long durationNs) {
    return durationNs == 0 ? 0 : count * 1e9 / durationNs;
  }
}
