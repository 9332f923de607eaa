package dev.headway.report.html.figures;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestListener;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.RejectedRecord;
import java.util.Set;

/**
 * How many requests met what was asked of them: the limits given to the report, or else the target
 * for the first token that each request carries. Requests alive at the end of the journal are not
 * judged.
 */
public final class GoodputFigures implements RequestListener {

  /** Endings that give the caller what was asked for. */
  private static final Set<String> ANSWERED = Set.of("stop", "length", "repetition");

  private final Slo slo;
  private long judged;
  private long met;
  private long leastTargetNs = Long.MAX_VALUE;
  private long mostTargetNs = Long.MIN_VALUE;

  GoodputFigures(Slo slo) {
    this.slo = slo;
  }

  @Override
  public void onRejected(RejectedRecord rejection) {
    judged += slo.isSet() ? 1 : 0; // its own target is not in the journal
  }

  @Override
  public void onSettled(RequestTimeline request) {
    final boolean answered = ANSWERED.contains(String.valueOf(request.finishReason()));
    if (slo.isSet()) {
      judged++;
      met += answered && slo.isMetBy(request) ? 1 : 0;
      return;
    }
    final long targetNs = request.queued().ttftTargetNs();
    if (targetNs != ABSENT) {
      judged++;
      met += answered && new Slo(targetNs, ABSENT, ABSENT).isMetBy(request) ? 1 : 0;
      leastTargetNs = Math.min(leastTargetNs, targetNs);
      mostTargetNs = Math.max(mostTargetNs, targetNs);
    }
  }

  /** The limits given, {@link Slo#NONE} if requests are judged by their own targets. */
  public Slo slo() {
    return slo;
  }

  /** Requests judged: all that ended or were refused, or those that ended and had a target. */
  public long judged() {
    return judged;
  }

  /** Those of them that met all limits. */
  public long met() {
    return met;
  }

  /** Their share, NaN if none was judged. */
  public double share() {
    return judged == 0 ? Double.NaN : (double) met / judged;
  }

  /**
   * The limit for the first token if it is the same for all, else {@link
   * dev.headway.api.Absent#ABSENT}.
   */
  public long commonTtftNs() {
    if (slo.isSet()) {
      return slo.ttftNs();
    }
    return leastTargetNs == mostTargetNs ? leastTargetNs : ABSENT;
  }
}
