package dev.headway.routing.fpm;

/**
 * What one iteration computed, and what waited when it was done. Immutable.
 *
 * @param wallTimeSeconds from the begin of scheduling to the output taken over; 0 for a heartbeat
 * @param scheduled what was computed
 * @param queued what waits
 */
public record ForwardPassMetrics(double wallTimeSeconds, Scheduled scheduled, Queued queued) {

  /** What is sent while there is nothing to report. */
  public static final ForwardPassMetrics HEARTBEAT =
      new ForwardPassMetrics(0, new Scheduled(0, 0, 0, 0, 0, 0, 0), new Queued(0, 0, 0, 0, 0, 0));

  /**
   * What was computed.
   *
   * @param prefillRequests requests that computed prompts, or computed again
   * @param prefillTokens tokens that they computed
   * @param prefillLengthVariance population variance of their prompts' lengths
   * @param prefillKvTokens tokens in front of these, which were read
   * @param decodeRequests requests that generated
   * @param decodeKvTokens tokens that they read
   * @param decodeKvVariance population variance of these
   */
  public record Scheduled(
      long prefillRequests,
      long prefillTokens,
      double prefillLengthVariance,
      long prefillKvTokens,
      long decodeRequests,
      long decodeKvTokens,
      double decodeKvVariance) {}

  /**
   * What waits.
   *
   * @param prefillRequests requests that never ran
   * @param prefillTokens tokens of their prompts
   * @param prefillLengthVariance population variance of these
   * @param decodeRequests preempted requests
   * @param decodeKvTokens context that they must compute again
   * @param decodeKvVariance population variance of this
   */
  public record Queued(
      long prefillRequests,
      long prefillTokens,
      double prefillLengthVariance,
      long decodeRequests,
      long decodeKvTokens,
      double decodeKvVariance) {}
}
