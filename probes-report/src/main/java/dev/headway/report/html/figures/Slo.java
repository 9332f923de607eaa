package dev.headway.report.html.figures;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;

/**
 * What a request must keep to count as goodput. A limit that is {@link
 * dev.headway.api.Absent#ABSENT} is not set.
 *
 * @param ttftNs longest time to the first token
 * @param tpotNs longest mean time per further token; does not apply to a request with one token
 * @param endToEndNs longest time from arrival to the end
 */
public record Slo(long ttftNs, long tpotNs, long endToEndNs) {

  /** No limit. */
  public static final Slo NONE = new Slo(ABSENT, ABSENT, ABSENT);

  /** Whether a limit is set. */
  public boolean isSet() {
    return !equals(NONE);
  }

  /** Whether a request that ended made tokens within every limit set. */
  boolean isMetBy(RequestTimeline request) {
    return request.firstTokenNs() != ABSENT
        && isWithin(request.ttftNs(), ttftNs)
        && isWithin(request.tpotNs(), tpotNs)
        && isWithin(request.endToEndNs(), endToEndNs);
  }

  private static boolean isWithin(long ns, long limitNs) {
    return limitNs == ABSENT || ns == ABSENT || ns <= limitNs;
  }
}
