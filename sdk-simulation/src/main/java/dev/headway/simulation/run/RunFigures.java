package dev.headway.simulation.run;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.schedule.WaitReason;
import dev.headway.toolbox.stats.Distribution;
import java.util.Map;

/**
 * What a run was like, in virtual time: equal inputs give equal figures. Durations are nanoseconds.
 *
 * @param finished requests by finish reason
 * @param rejected requests by the rule that refused them
 * @param work what was done in which time
 * @param latencies latencies of the requests
 * @param memory what it took of the KV cache
 * @param prefixCache what prompts shared
 * @param waitedNs time in the queue by reason, over all requests
 * @param rootWaitedNs the same time, {@code head_of_line} resolved to the reason of the request
 *     ahead
 * @param beforeQueueNs time between arrival and queueing, over all requests: the engine takes
 *     requests in between two steps
 */
public record RunFigures(
    Map<String, Long> finished,
    Map<String, Long> rejected,
    Work work,
    Latencies latencies,
    Memory memory,
    PrefixCache prefixCache,
    Map<WaitReason, Long> waitedNs,
    Map<WaitReason, Long> rootWaitedNs,
    long beforeQueueNs) {

  /**
   * What was done in which time.
   *
   * @param durationNs from the start of the trace to the end of the last step
   * @param busyNs time in steps that computed something
   * @param steps how many those were
   * @param emptySteps that computed nothing: the scheduler had nothing to give out
   * @param promptTokens prompts of requests that ended
   * @param outputTokens their outputs
   */
  public record Work(
      long durationNs,
      long busyNs,
      long steps,
      long emptySteps,
      long promptTokens,
      long outputTokens) {
    public double perSecond(long count) {
      return durationNs == 0 ? 0 : count * 1e9 / durationNs;
    }
  }

  /**
   * One kind of latency: how many, the mean, and the 50th, 90th and 99th percentile, each a {@link
   * dev.headway.toolbox.stats.Quantile}; all but the count are {@code Absent.ABSENT} of none.
   */
  public record Percentiles(long count, long meanNs, long p50Ns, long p90Ns, long p99Ns) {

    /** Of no latency. */
    public static final Percentiles NONE = new Percentiles(0, ABSENT, ABSENT, ABSENT, ABSENT);

    static Percentiles of(Distribution times) {
      return times.isEmpty()
          ? NONE
          : new Percentiles(
              times.count(),
              Math.round(times.mean()),
              Math.round(times.quantile(0.50)),
              Math.round(times.quantile(0.90)),
              Math.round(times.quantile(0.99)));
    }
  }

  /**
   * Latencies of requests, defined as in {@code per_request.csv}.
   *
   * @param ttft arrival to first token
   * @param tpot mean time per token after the first
   * @param endToEnd arrival to the end
   */
  public record Latencies(Percentiles ttft, Percentiles tpot, Percentiles endToEnd) {}

  /**
   * What it took of the KV cache.
   *
   * @param usableBlocks size of the cache
   * @param mostBlocks most blocks in use
   * @param meanBlocks blocks in use, mean over busy time
   * @param meanRunning requests running, mean over busy time
   * @param preemptions how often a request lost its blocks
   * @param recomputedTokens tokens computed again because of that
   */
  public record Memory(
      int usableBlocks,
      int mostBlocks,
      double meanBlocks,
      double meanRunning,
      long preemptions,
      long recomputedTokens) {}

  /**
   * What prompts shared.
   *
   * @param promptTokens tokens of prompts admitted for the first time
   * @param hitTokens those of them found in the cache
   * @param bound largest share that the trace allows; NaN if it does not say
   */
  public record PrefixCache(long promptTokens, long hitTokens, double bound) {
    public double share() {
      return promptTokens == 0 ? 0 : (double) hitTokens / promptTokens;
    }
  }

  /** Requests that ended. */
  public long finishedTotal() {
    return finished.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Requests that were refused. */
  public long rejectedTotal() {
    return rejected.values().stream().mapToLong(Long::longValue).sum();
  }

  /** All the time in the queue. */
  public long waitedTotalNs() {
    return waitedNs.values().stream().mapToLong(Long::longValue).sum();
  }
}
