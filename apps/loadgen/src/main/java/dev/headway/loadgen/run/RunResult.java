package dev.headway.loadgen.run;

import dev.headway.loadgen.metrics.Sample;
import dev.headway.routing.timing.TimingStage;
import dev.headway.toolbox.stats.SortedSample;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * What a run has left.
 *
 * @param startedAt when it began, by the clock on the wall
 * @param originNs when it began, on the host's monotonic clock
 * @param durationNs from there to the end of the last request
 * @param records every request that was let go, warm-up first, then in the order of the schedule
 * @param probes requests of the latency probe
 * @param planned how many requests there were to send
 * @param plannedRate requests per second by the schedule; NaN where there is none, infinite if all
 *     came at once
 * @param counters by how much the target's counters grew meanwhile
 * @param end why it ended
 */
public record RunResult(
    Instant startedAt,
    long originNs,
    long durationNs,
    List<RunRecord> records,
    List<RunRecord> probes,
    int planned,
    double plannedRate,
    Map<String, Double> counters,
    End end) {

  private static final double NS_PER_SECOND = 1e9;
  private static final double LEAST_TOLERATED_LAG_SECONDS = 1e-3;
  private static final double TOLERATED_SHARE_OF_GAP = 0.1;

  /** Why a run ended. */
  public enum End {
    /** Every request was sent, and has ended. */
    COMPLETE,
    /** Its time was up. */
    MAX_SECONDS,
    /** Too many requests failed. */
    MAX_ERRORS,
    /** More came than the server did. */
    OVER_SATURATED,
    /** It was asked to. */
    STOPPED
  }

  /** Copies the collections. */
  public RunResult {
    counters = Collections.unmodifiableMap(new TreeMap<>(counters));
    records = List.copyOf(records);
    probes = List.copyOf(probes);
  }

  /** The requests of the measurement. */
  public List<RunRecord> measured() {
    return records.stream().filter(record -> !record.warmup()).toList();
  }

  /** What was measured of those that were answered. */
  public List<Sample> samples() {
    return samples(measured());
  }

  /** What was measured of the probes that were answered. */
  public List<Sample> probeSamples() {
    return samples(probes);
  }

  private List<Sample> samples(List<RunRecord> of) {
    return of.stream().filter(RunRecord::isOk).map(record -> record.sample(originNs)).toList();
  }

  /** How many requests of the measurement failed; those that this program ended are not among. */
  public int failed() {
    return (int) measured().stream().filter(r -> !r.isOk() && !r.isAborted()).count();
  }

  /** How many requests of the measurement this program ended. */
  public int aborted() {
    return (int) measured().stream().filter(RunRecord::isAborted).count();
  }

  /** How long it took, in seconds. */
  public double durationSeconds() {
    return durationNs / NS_PER_SECOND;
  }

  /** How late requests were let go against the schedule, in seconds. */
  public SortedSample lag() {
    return seconds(r -> r.exchange().at().durationNs(TimingStage.INTENDED, TimingStage.ARRIVED));
  }

  /** From a request's having its place to its being sent, in seconds: this program's own time. */
  public SortedSample sendLag() {
    return seconds(r -> r.exchange().at().ns(TimingStage.SENT) - r.releasedNs());
  }

  private SortedSample seconds(ToLongFunction<RunRecord> nanos) {
    return SortedSample.of(
        measured().stream()
            .filter(r -> r.exchange().at().has(TimingStage.SENT))
            .mapToDouble(r -> nanos.applyAsLong(r) / NS_PER_SECOND)
            .toArray());
  }

  /** Requests let go per second, over the time that the schedule has for them. */
  public double achievedRate() {
    final long[] arrivals =
        measured().stream()
            .mapToLong(r -> r.exchange().at().ns(TimingStage.ARRIVED) - originNs)
            .sorted()
            .toArray();
    return arrivals.length == 0
        ? Double.NaN
        : arrivals.length * NS_PER_SECOND / arrivals[arrivals.length - 1];
  }

  /**
   * Whether this program could not keep to the schedule, so that latencies say nothing of the
   * server: the 99th percentile of the lag, or of the send lag, is above a millisecond and above a
   * tenth of the mean gap.
   */
  public boolean isGeneratorSaturated() {
    if (Double.isNaN(plannedRate) || Double.isInfinite(plannedRate)) {
      return false;
    }
    final double tolerated =
        Math.max(LEAST_TOLERATED_LAG_SECONDS, TOLERATED_SHARE_OF_GAP / plannedRate);
    return lag().percentile(99) > tolerated || sendLag().percentile(99) > tolerated;
  }
}
