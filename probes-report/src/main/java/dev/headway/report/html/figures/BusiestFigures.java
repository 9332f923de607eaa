package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.WaitListener;
import java.util.ArrayList;
import java.util.List;

/**
 * The requests that were alive at the instant with the most of them. Follows up to {@link
 * #MOST_FOLLOWED} requests at a time; those that come while as many are followed are counted only.
 */
public final class BusiestFigures implements RequestListener, WaitListener {

  static final int MOST_FOLLOWED = 2_000;
  private static final int MOST_ROWS = 60;
  private static final long HALF_WINDOW_NS = 5_000_000_000L;
  private static final int BARS_IN_WINDOW = 600;

  /** A larger peak is taken only if it is larger by this part, so that a growing queue is cheap. */
  private static final int GROWTH = 50;

  private final FollowedRows alive = new FollowedRows();
  private List<GanttRow> rows = List.of();
  private long count;
  private long peak;
  private long peakNs;
  private long latestNs;

  @Override
  public void onQueued(RequestTimeline request) {
    final long nowNs = request.queued().queuedNs();
    latestNs = Math.max(latestNs, nowNs);
    count++;
    if (alive.size() < MOST_FOLLOWED) {
      alive.follow(request);
    }
    if (count > peak + peak / GROWTH) {
      peak = count;
      peakNs = nowNs;
      rows = picked();
    }
  }

  @Override
  public void onCauseChanged(RequestTimeline request, long nowNs) {
    alive.changeCause(request, nowNs, shortestNs());
  }

  @Override
  public void onSharedCauseChanged(Cause cause, long nowNs) {
    alive.changeSharedCause(cause, nowNs, shortestNs());
  }

  @Override
  public void onPhaseChanged(RequestTimeline request, Phase left, long sinceNs, long nowNs) {
    latestNs = Math.max(latestNs, nowNs);
    alive.changePhase(request, left, sinceNs, nowNs);
    if (request.phase() == Phase.ENDED) {
      count--;
      alive.forget(request);
    }
  }

  @Override
  public void onUnfinished(RequestTimeline request, long nowNs) {
    alive.end(request, nowNs);
  }

  /** Requests that were alive then; all of them, or evenly picked in order of arrival. */
  public List<GanttRow> rows() {
    return rows;
  }

  /** How many were alive at that instant; within 2 % of the most there ever were. */
  public long peak() {
    return peak;
  }

  /** The instant, since the start of the run. */
  public long peakNs() {
    return peakNs;
  }

  /** Where the picture of it begins: at most 5 s before, and not before the first arrival. */
  public long fromNs() {
    final long first =
        rows.stream().mapToLong(row -> row.request().queued().arrivalNs()).min().orElse(0);
    return Math.max(0, Math.max(first, peakNs - HALF_WINDOW_NS));
  }

  /** Where it ends: at most 5 s later, and not after the last of these requests. */
  public long toNs() {
    final long last =
        rows.stream()
            .filter(row -> !row.bars().isEmpty())
            .mapToLong(row -> row.bars().getLast().toNs())
            .max()
            .orElse(peakNs);
    return Math.max(fromNs() + 1, Math.min(last, peakNs + HALF_WINDOW_NS));
  }

  private long shortestNs() {
    return Math.min(2 * HALF_WINDOW_NS, latestNs) / BARS_IN_WINDOW;
  }

  private List<GanttRow> picked() {
    final List<GanttRow> all = alive.rows();
    if (all.size() <= MOST_ROWS) {
      return all;
    }
    final List<GanttRow> some = new ArrayList<>();
    for (int i = 0; i < MOST_ROWS; i++) {
      some.add(all.get((int) ((long) i * all.size() / MOST_ROWS)));
    }
    return some;
  }
}
