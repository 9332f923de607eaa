package dev.headway.probes.csv.report.figures;

import dev.headway.probes.chronicle.observe.ObservedRequest;
import dev.headway.probes.csv.table.Table;

/**
 * What a request must keep to count as goodput. A limit that is {@link Table#ABSENT} is not set.
 *
 * @param ttftNs longest time to the first token
 * @param tpotNs longest mean time per further token; who made only one has none to keep
 * @param endToEndNs longest time from arrival to the end
 */
public record Slo(long ttftNs, long tpotNs, long endToEndNs) {

  /** No limit. */
  public static final Slo NONE = new Slo(Table.ABSENT, Table.ABSENT, Table.ABSENT);

  /** Whether a limit is set. */
  public boolean isSet() {
    return !equals(NONE);
  }

  /** Whether a request that ended made tokens within every limit set. */
  boolean isMetBy(ObservedRequest request) {
    return request.firstTokenNs() != Table.ABSENT
        && isWithin(request.ttftNs(), ttftNs)
        && isWithin(request.tpotNs(), tpotNs)
        && isWithin(request.endToEndNs(), endToEndNs);
  }

  private static boolean isWithin(long ns, long limitNs) {
    return limitNs == Table.ABSENT || ns == Table.ABSENT || ns <= limitNs;
  }
}
