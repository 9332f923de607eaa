package dev.headway.probes.csv.report.figures;

import dev.headway.probes.csv.track.Cause;
import dev.headway.probes.csv.track.Phase;
import dev.headway.probes.csv.track.TrackListener;
import dev.headway.probes.csv.track.TrackedRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lives of every k-th request, with k as small as the number of rows allows. */
public final class GanttFigures implements TrackListener {

  private static final int MOST_ROWS = 120;
  private static final int BARS_OVER_TIME = 600;

  private final Map<Long, GanttRow> rows = new LinkedHashMap<>();
  private final Map<Long, GanttRow> waiting = new LinkedHashMap<>();
  private long step = 1;
  private long seen;
  private long latestNs;

  @Override
  public void queued(TrackedRequest request) {
    latestNs = Math.max(latestNs, request.queuedNs());
    if (seen++ % step != 0) {
      return;
    }
    if (rows.size() == MOST_ROWS) {
      thinOut();
      if ((seen - 1) % step != 0) {
        return;
      }
    }
    final GanttRow row = new GanttRow(request);
    rows.put(request.number(), row);
    waiting.put(request.number(), row);
  }

  @Override
  public void causeChanged(TrackedRequest request, long nowNs) {
    final GanttRow row = waiting.get(request.number());
    if (row != null) {
      row.changeCause(request.cause(), nowNs, shortestNs(nowNs), request.phase());
    }
  }

  @Override
  public void sharedCauseChanged(Cause cause, long nowNs) {
    for (GanttRow row : waiting.values()) {
      if (row.request().sharesCause()) {
        row.changeCause(cause, nowNs, shortestNs(nowNs), row.request().phase());
      }
    }
  }

  @Override
  public void phaseChanged(TrackedRequest request, Phase left, long sinceNs, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    final @Nullable GanttRow row = rows.get(request.number());
    if (row == null) {
      return;
    }
    row.leave(left, sinceNs, nowNs);
    if (request.phase().isWaiting()) {
      row.beginWait(nowNs, request.cause());
      waiting.put(request.number(), row);
    } else {
      waiting.remove(request.number());
    }
  }

  @Override
  public void unfinished(TrackedRequest request, long nowNs) {
    final @Nullable GanttRow row = rows.get(request.number());
    if (row != null) {
      row.leave(request.phase(), request.phaseSinceNs(), nowNs);
    }
  }

  /** The lives, in order of arrival. */
  public List<GanttRow> rows() {
    return new ArrayList<>(rows.values());
  }

  /** One row stands for so many requests. */
  public long step() {
    return step;
  }

  /** Requests that entered the queue. */
  public long seen() {
    return seen;
  }

  private long shortestNs(long nowNs) {
    return Math.max(latestNs, nowNs) / BARS_OVER_TIME;
  }

  private void thinOut() {
    step *= 2;
    boolean keep = false;
    for (Long number : new ArrayList<>(rows.keySet())) {
      keep = !keep;
      if (!keep) {
        rows.remove(number);
        waiting.remove(number);
      }
    }
  }
}
