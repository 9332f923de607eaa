package dev.headway.loadgen.run;

/**
 * What holds a run back, and what ends it before its time.
 *
 * @param maxConcurrency most requests under way; 0 for any number
 * @param strictRate requests per second that are never exceeded when places become free; 0 for none
 * @param maxSeconds after which the run ends; infinite for never
 * @param maxErrors failed requests after which the run ends
 * @param stopsOverSaturated whether the run ends when more comes than the server does
 */
public record RunLimits(
    int maxConcurrency,
    double strictRate,
    double maxSeconds,
    int maxErrors,
    boolean stopsOverSaturated) {

  /** None of them. */
  public static final RunLimits NONE =
      new RunLimits(0, 0, Double.POSITIVE_INFINITY, Integer.MAX_VALUE, false);
}
