package dev.headway.probes.dashboard.state;

import java.util.List;
import java.util.Map;

/**
 * What an engine is doing, as of an instant. Immutable, but for the arrays, which are never
 * changed.
 *
 * @param runId name of the run
 * @param attributes what its owner says of it, for example its model
 * @param config settings of the scheduler
 * @param unixNs the instant, nanoseconds since 1970
 * @param upNs since the run began
 * @param virtualTime whether that clock is simulated
 * @param step number of the latest step
 * @param running requests admitted
 * @param waiting requests in the queue
 * @param preemptedWaiting of those, preempted ones
 * @param kvBlocksUsed blocks that are not free
 * @param kvBlocks blocks that requests can hold
 * @param waitingFor requests in the queue by what must change for them, the most first
 * @param totals since the run began
 * @param ttft time to the first token, over the last minute
 * @param tokenGaps time between tokens, over the last minute
 * @param prefillTokens prompt tokens computed, per second, the earliest first
 * @param outputTokens tokens generated, likewise
 * @param runningSeries requests running, at the end of each second
 * @param waitingSeries requests waiting, likewise
 * @param kvSeries KV blocks in use, likewise
 * @param slow of the requests that ended lately, those that waited longest, the longest first
 * @param head requests at the head of the queue
 */
@SuppressWarnings("ArrayRecordComponent") // made once, handed on, never changed
public record Snapshot(
    String runId,
    Map<String, String> attributes,
    Map<String, String> config,
    long unixNs,
    long upNs,
    boolean virtualTime,
    long step,
    int running,
    int waiting,
    int preemptedWaiting,
    int kvBlocksUsed,
    int kvBlocks,
    Map<String, Integer> waitingFor,
    Totals totals,
    Quantiles ttft,
    Quantiles tokenGaps,
    long[] prefillTokens,
    long[] outputTokens,
    long[] runningSeries,
    long[] waitingSeries,
    long[] kvSeries,
    List<RequestDigest> slow,
    List<RequestDigest> head) {

  /**
   * Counts since the run began.
   *
   * @param dropped events that were lost because this page was too slow to take them
   */
  public record Totals(
      long queued,
      long finished,
      long rejected,
      long preemptions,
      long promptTokens,
      long outputTokens,
      long waitedNs,
      long dropped) {}
}
