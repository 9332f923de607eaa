package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.WaitListener;
import java.util.List;

/** The lives of every k-th request, with k as small as the number of rows allows. */
public final class GanttFigures implements RequestListener, WaitListener {

  private static final int MOST_ROWS = 120;
  private static final int BARS_OVER_TIME = 600;

  private final FollowedRows rows = new FollowedRows();
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
    rows.follow(request);
  }

  @Override
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    rows.changeCause(request, nowNs, shortestNs(nowNs));
  }

  @Override
  public void onSharedCauseChanged(Cause cause, long nowNs) {
    rows.changeSharedCause(cause, nowNs, shortestNs(nowNs));
  }

  @Override
  public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    rows.changePhase(request, left, sinceNs, nowNs);
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    rows.end(request, nowNs);
  }

  /** The lives, in order of arrival. */
  public List<GanttRow> rows() {
    return rows.rows();
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
    for (GanttRow row : rows.rows()) {
      keep = !keep;
      if (!keep) {
        rows.forget(row.request());
      }
    }
  }
}
