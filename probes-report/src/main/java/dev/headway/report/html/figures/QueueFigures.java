package dev.headway.report.html.figures;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.RowSample;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/*
 * A position of every waiting request at every instant would cost O(waiting) per admission. So how
 * many were ahead is known of all requests at their arrival only, where it is the length of the
 * queue; the way from there is followed for at most FOLLOWED waiting requests at a time. A follower
 * that leaves gives its place to the next arrival, so what a change costs has a bound.
 */
/**
 * How many requests were ahead of each in the queue. Ahead is a request that came earlier and
 * waits, whatever the policy takes first; waits are those from queueing to the first admission.
 */
public final class QueueFigures implements RequestListener {

  private static final int FOLLOWED = 256;
  private static final int LONGEST = 6;
  private static final int SAMPLE = 2_000;

  private final Map<Long, Integer> aheadAtArrival = new HashMap<>();
  private final Map<Long, QueueTrace> followed = new LinkedHashMap<>();
  private final PriorityQueue<QueueTrace> longest =
      new PriorityQueue<>(Comparator.comparingLong(QueueTrace::lengthNs));
  private final Distribution ahead = new Distribution(4_096);
  private final RowSample waits = new RowSample(SAMPLE);
  private int waiting;
  private long notFollowed;

  @Override
  public void onQueued(RequestTimeline request) {
    ahead.add(waiting);
    aheadAtArrival.put(request.number(), waiting);
    if (followed.size() < FOLLOWED) {
      followed.put(request.number(), new QueueTrace(request, waiting));
    } else {
      notFollowed++;
    }
    waiting++;
  }

  @Override
  public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    final boolean waits = request.phase().isWaiting();
    if (left.isWaiting() == waits) {
      return;
    }
    waiting += waits ? 1 : -1;
    if (left == Phase.WAITING) {
      leave(request.number(), request.queued().queuedNs(), nowNs);
    }
    final boolean overtakes = left == Phase.WAITING && request.phase().isRunning();
    for (QueueTrace trace : followed.values()) {
      if (trace.number() > request.number()) {
        trace.move(waits ? 1 : -1, nowNs);
      } else if (overtakes) {
        trace.overtaken();
      }
    }
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    if (request.phase() == Phase.WAITING) {
      leave(request.number(), request.queued().queuedNs(), nowNs);
    }
  }

  /** Requests waiting when a request came, of all requests. */
  public Distribution ahead() {
    return ahead;
  }

  /** Rows of requests ahead at arrival, and ns to the first admission or end. */
  public RowSample waits() {
    return waits;
  }

  /** Requests that came while the most were followed. */
  public long notFollowed() {
    return notFollowed;
  }

  /** The longest waits followed, the longest first. */
  public List<QueueTrace> longest() {
    final List<QueueTrace> sorted = new ArrayList<>(longest);
    sorted.sort(
        Comparator.comparingLong(QueueTrace::lengthNs)
            .reversed()
            .thenComparingLong(QueueTrace::number));
    return sorted;
  }

  private void leave(long number, long queuedNs, long nowNs) {
    final Integer before = aheadAtArrival.remove(number);
    if (before != null) {
      waits.add(before, (double) Math.max(0, nowNs - queuedNs));
    }
    final QueueTrace trace = followed.remove(number);
    if (trace == null) {
      return;
    }
    trace.end(nowNs);
    longest.add(trace);
    if (longest.size() > LONGEST) {
      longest.remove();
    }
  }
}
