package dev.headway.loadgen.run;

/**
 * How a load is sent.
 *
 * @param arrivals when requests are let go
 * @param limits what holds them back
 * @param warmups requests that are sent first and not measured
 * @param resetsCache whether the server is then asked to forget what it cached
 * @param probeRate requests of one token per second beside the load, whose latency is measured on
 *     its own; 0 for none
 * @param keepsTexts whether texts of answers are kept
 * @param idPrefix begins the name of every request
 */
public record RunOptions(
    Arrivals arrivals,
    RunLimits limits,
    int warmups,
    boolean resetsCache,
    double probeRate,
    boolean keepsTexts,
    String idPrefix) {

  /** Nothing but the load. */
  public static RunOptions of(Arrivals arrivals, RunLimits limits, String idPrefix) {
    return new RunOptions(arrivals, limits, 0, false, 0, false, idPrefix);
  }
}
