package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.WaitListener;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The lives of every k-th request, with k as small as the number of rows allows. */
public final class GanttFigures implements RequestListener, WaitListener {

  private static final int MOST_ROWS = 120;
  private static final int BARS_OVER_TIME = 600;

  private final Map<Long, GanttRow> rows = new LinkedHashMap<>();
  private final Map<Long, GanttRow> waiting = new LinkedHashMap<>();
  private long step = 1;
  private long seen;
  private long latestNs;

  @Override
  public void onQueued(RequestTimeline request) {
    latestNs = Math.max(latestNs, request.queued().queuedNs());
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
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    final GanttRow row = waiting.get(request.number());
    if (row != null) {
      row.changeCause(request.waits().cause(), nowNs, shortestNs(nowNs), request.phase());
    }
  }

  @Override
  public void onSharedCauseChanged(Cause cause, long nowNs) {
    for (GanttRow row : waiting.values()) {
      if (row.request().waits().sharesCause()) {
        row.changeCause(cause, nowNs, shortestNs(nowNs), row.request().phase());
      }
    }
  }

  @Override
  public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    final @Nullable GanttRow row = rows.get(request.number());
    if (row == null) {
      return;
    }
    row.leave(left, sinceNs, nowNs);
    if (request.phase().isWaiting()) {
      row.beginWait(nowNs, request.waits().cause());
      waiting.put(request.number(), row);
    } else {
      waiting.remove(request.number());
    }
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    final @Nullable GanttRow row = rows.get(request.number());
    if (row != null) {
      row.leave(request.phase(), request.phaseSinceNs(), nowNs);
    }
  }

  /** The lives, in order of arrival. */
  public List<GanttRow> rows() {
    return new ArrayList<>(rows.values());
  }

  /** One row represents this many requests. */
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
