package dev.headway.report.html.figures;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of one request as bars. Phases are exact; causes that alternate faster than a pixel
 * could show are put together under the one with the most time.
 */
public final class GanttRow {

  private static final int MOST_BARS = 300;

  private final RequestTimeline request;
  private final List<Bar> bars = new ArrayList<>();
  private long[] tallyNs = new long[0];
  private long tallySinceNs;
  private long causeSinceNs;
  private int causeIndex = -1;

  GanttRow(RequestTimeline request) {
    this.request = request;
    beginWait(request.queued().queuedNs(), request.waits().cause());
  }

  /**
   * A stretch of a life.
   *
   * @param cause index of what it waited for; -1 if it did not
   */
  public record Bar(long fromNs, long toNs, Phase phase, int cause) {}

  /** Whose life. */
  public RequestTimeline request() {
    return request;
  }

  /** Its bars in order. */
  public List<Bar> bars() {
    return bars;
  }

  void beginWait(long nowNs, Cause cause) {
    tallySinceNs = nowNs;
    causeSinceNs = nowNs;
    causeIndex = cause.index();
  }

  /** It waits for something else from now on; bars shorter than {@code shortestNs} are joined. */
  void changeCause(Cause next, long nowNs, long shortestNs, Phase phase) {
    book(nowNs);
    causeIndex = next.index();
    if (nowNs - tallySinceNs >= shortestNs) {
      closeTally(nowNs, phase);
    }
  }

  /** It leaves a phase. */
  void leave(Phase phase, long sinceNs, long nowNs) {
    if (phase.isWaiting()) {
      book(nowNs);
      closeTally(nowNs, phase);
      causeIndex = -1;
    } else if (nowNs > sinceNs) {
      add(new Bar(sinceNs, nowNs, phase, -1));
    }
  }

  private void book(long nowNs) {
    if (causeIndex >= tallyNs.length) {
      tallyNs = Arrays.copyOf(tallyNs, causeIndex + 4);
    }
    if (causeIndex >= 0) {
      tallyNs[causeIndex] += nowNs - causeSinceNs;
    }
    causeSinceNs = nowNs;
  }

  private void closeTally(long nowNs, Phase phase) {
    int main = 0;
    for (int i = 1; i < tallyNs.length; i++) {
      main = tallyNs[i] > tallyNs[main] ? i : main;
    }
    if (nowNs > tallySinceNs) {
      add(new Bar(tallySinceNs, nowNs, phase, main));
    }
    Arrays.fill(tallyNs, 0);
    tallySinceNs = nowNs;
  }

  private void add(Bar bar) {
    final @Nullable Bar last = bars.isEmpty() ? null : bars.get(bars.size() - 1);
    if (last != null
        && last.phase() == bar.phase()
        && last.cause() == bar.cause()
        && last.toNs() == bar.fromNs()) {
      bars.set(bars.size() - 1, new Bar(last.fromNs(), bar.toNs(), bar.phase(), bar.cause()));
    } else {
      bars.add(bar);
    }
    if (bars.size() > MOST_BARS) {
      thinOut();
    }
  }

  /** Joins each second bar to the one before if both wait alike or run alike. */
  private void thinOut() {
    final List<Bar> joined = new ArrayList<>();
    for (int i = 0; i < bars.size(); i++) {
      final Bar a = bars.get(i);
      final @Nullable Bar b = i + 1 < bars.size() ? bars.get(i + 1) : null;
      if (b != null && a.phase().isWaiting() == b.phase().isWaiting()) {
        final Bar longer = b.toNs() - b.fromNs() > a.toNs() - a.fromNs() ? b : a;
        joined.add(new Bar(a.fromNs(), b.toNs(), longer.phase(), longer.cause()));
        i++;
      } else {
        joined.add(a);
      }
    }
    bars.clear();
    bars.addAll(joined.size() > MOST_BARS ? joined.subList(0, MOST_BARS / 2) : joined);
  }
}
