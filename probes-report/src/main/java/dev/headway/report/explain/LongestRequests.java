package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunTimeline;
import dev.headway.events.model.WaitListener;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The few requests of a journal that took longest, for a user without the id of one. Keeps only
 * those. One thread.
 */
final class LongestRequests implements RunListener, WaitListener {

  /** The order of requests. */
  enum By {
    /** Time from arrival to end. */
    SLOWEST,
    /** Time in the queue, over all stays. */
    LONGEST_WAIT
  }

  /**
   * One of the longest requests.
   *
   * @param ttftNs from its arrival, or absent
   * @param end its finish reason; {@code unfinished} if the journal does not know
   */
  record Candidate(
      int run,
      long number,
      String id,
      long e2eNs,
      long ttftNs,
      long waitedNs,
      int preemptions,
      String end) {}

  private static final RunListener IGNORED = new RunListener() {};
  private static final String UNFINISHED = "unfinished";

  private final int count;
  private final int wantedRun;
  private final Comparator<Candidate> leastFirst;
  private final PriorityQueue<Candidate> kept;
  private int run;

  LongestRequests(By by, int count, int wantedRun) {
    this.count = count;
    this.wantedRun = wantedRun;
    leastFirst =
        Comparator.comparingLong(by == By.SLOWEST ? Candidate::e2eNs : Candidate::waitedNs)
            .thenComparing(Candidate::run, Comparator.reverseOrder())
            .thenComparing(Candidate::number, Comparator.reverseOrder());
    kept = new PriorityQueue<>(leastFirst);
  }

  /** Longest first. */
  List<Candidate> ranking() {
    return kept.stream().sorted(leastFirst.reversed()).toList();
  }

  @Override
  public RunListener onRun(RunTimeline started) {
    if (wantedRun != RequestSelector.LATEST && wantedRun != started.index()) {
      return IGNORED;
    }
    started.bookWaits(this);
    run = started.index();
    return this;
  }

  @Override
  public void onSettled(RequestTimeline request) {
    offer(request, request.endedNs(), request.finishReason());
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    offer(request, nowNs, null);
  }

  private void offer(RequestTimeline request, long untilNs, @Nullable String end) {
    kept.add(
        new Candidate(
            run,
            request.number(),
            request.id(),
            untilNs - request.queued().arrivalNs(),
            request.ttftNs(),
            request.waits().totalNs(),
            request.preemptions(),
            end == null ? UNFINISHED : end));
    if (kept.size() > count) {
      kept.poll();
    }
  }
}
