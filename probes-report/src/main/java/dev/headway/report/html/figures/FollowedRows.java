package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of the requests that are followed, and which of them wait. In order of arrival. */
final class FollowedRows {

  private final Map<Long, GanttRow> rows = new LinkedHashMap<>();
  private final Map<Long, GanttRow> waiting = new LinkedHashMap<>();

  int size() {
    return rows.size();
  }

  /** The rows now. */
  List<GanttRow> rows() {
    return new ArrayList<>(rows.values());
  }

  /** From now on the request is followed, which has just entered the queue. */
  void follow(RequestTimeline request) {
    final GanttRow row = new GanttRow(request);
    rows.put(request.number(), row);
    waiting.put(request.number(), row);
  }

  /** The request is followed no more. */
  void forget(RequestTimeline request) {
    rows.remove(request.number());
    waiting.remove(request.number());
  }

  /** A bar that lasts less than {@code shortestNs} becomes one with the bar before. */
  void changeCause(RequestTimeline request, long nowNs, long shortestNs) {
    final @Nullable GanttRow row = waiting.get(request.number());
    if (row != null) {
      row.changeCause(request.waits().cause(), nowNs, shortestNs, request.phase());
    }
  }

  /** The same of all that share the cause. */
  void changeSharedCause(Cause cause, long nowNs, long shortestNs) {
    for (GanttRow row : waiting.values()) {
      if (row.request().waits().sharesCause()) {
        row.changeCause(cause, nowNs, shortestNs, row.request().phase());
      }
    }
  }

  void changePhase(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
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

  /** The run ended before the request. */
  void end(RequestTimeline request, long nowNs) {
    final @Nullable GanttRow row = rows.get(request.number());
    if (row != null) {
      row.leave(request.phase(), request.phaseSinceNs(), nowNs);
    }
  }
}
