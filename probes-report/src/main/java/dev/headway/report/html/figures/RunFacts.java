package dev.headway.report.html.figures;

import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.RejectedRecord;
import java.util.Map;
import java.util.TreeMap;

/** How many requests came and what became of them. */
public final class RunFacts implements RequestListener {

  private final Map<String, Long> endings = new TreeMap<>();
  private final Map<String, Long> rejections = new TreeMap<>();
  private long queued;
  private long ended;
  private long rejected;
  private long unfinished;
  private long dropped;
  private long firstArrivalNs = Long.MAX_VALUE;
  private long lastArrivalNs = Long.MIN_VALUE;
  private long endedBeforeLastArrival;
  private long lastNs;
  private boolean cleanly;

  @Override
  public void onQueued(RequestTimeline request) {
    queued++;
    arrived(request.queued().arrivalNs());
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    rejected++;
    rejections.merge(rejection.reason(), 1L, Long::sum);
    arrived(rejection.atNs());
  }

  @Override
  public void onSettled(RequestTimeline request) {
    ended++;
    endings.merge(String.valueOf(request.finishReason()), 1L, Long::sum);
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    unfinished++;
  }

  void onDropped(long records) {
    dropped += records;
  }

  void onRunConcluded(long latestNs, boolean closedByWriter) {
    lastNs = latestNs;
    cleanly = closedByWriter;
  }

  private void arrived(long arrivalNs) {
    firstArrivalNs = Math.min(firstArrivalNs, arrivalNs);
    if (arrivalNs >= lastArrivalNs) {
      lastArrivalNs = arrivalNs;
      endedBeforeLastArrival = ended;
    }
  }

  /** Requests by how they ended. */
  public Map<String, Long> endings() {
    return endings;
  }

  /** Requests by the rule that refused them. */
  public Map<String, Long> rejections() {
    return rejections;
  }

  /** Requests that entered the queue. */
  public long queued() {
    return queued;
  }

  /** Those that ended. */
  public long ended() {
    return ended;
  }

  /** Requests refused at submission. */
  public long rejected() {
    return rejected;
  }

  /** Requests alive at the end of the journal. */
  public long unfinished() {
    return unfinished;
  }

  /** Records that the writer had to drop. */
  public long dropped() {
    return dropped;
  }

  /** From the first arrival to the last. */
  public long arrivalSpanNs() {
    return lastArrivalNs < firstArrivalNs ? 0 : lastArrivalNs - firstArrivalNs;
  }

  /** Share of the accepted requests that had ended when the last one came. */
  public double endedAtLastArrival() {
    return queued == 0 ? 1 : (double) endedBeforeLastArrival / queued;
  }

  /** The last instant of the journal. */
  public long lastNs() {
    return lastNs;
  }

  /** Whether the writer closed the run. */
  public boolean endedCleanly() {
    return cleanly;
  }
}
