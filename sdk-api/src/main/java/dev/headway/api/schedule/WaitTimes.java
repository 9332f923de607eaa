package dev.headway.api.schedule;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;

/**
 * How long a request waited in the queue, by reason; every nanosecond between queueing and
 * admission, and between a preemption and the next admission, has exactly one. Immutable.
 */
public final class WaitTimes {

  /** No wait is known. */
  public static final WaitTimes NONE = new WaitTimes(new long[0]);

  private static final WaitReason[] REASONS = WaitReason.values();

  private final long[] byReasonNs;

  private WaitTimes(long[] byReasonNs) {
    this.byReasonNs = byReasonNs;
  }

  /**
   * Copies waits.
   *
   * @param byReasonNs nanoseconds, indexed by the ordinal of the reason; may be shorter or longer
   *     than there are reasons
   */
  public static WaitTimes of(long[] byReasonNs) {
    int length = Math.min(byReasonNs.length, REASONS.length);
    while (length > 0 && byReasonNs[length - 1] == 0) {
      length--;
    }
    return length == 0 ? NONE : new WaitTimes(Arrays.copyOf(byReasonNs, length));
  }

  /** Nanoseconds waited for a reason. */
  @SuppressWarnings("EnumOrdinal") // an index within this process
  public long ns(WaitReason reason) {
    return reason.ordinal() < byReasonNs.length ? byReasonNs[reason.ordinal()] : 0;
  }

  /** Nanoseconds waited. */
  public long totalNs() {
    long total = 0;
    for (long ns : byReasonNs) {
      total += ns;
    }
    return total;
  }

  /** Nanoseconds by reason, without those that are 0, in the order of the constants. */
  public Map<WaitReason, Long> byReason() {
    final Map<WaitReason, Long> waited = new EnumMap<>(WaitReason.class);
    for (WaitReason reason : REASONS) {
      if (ns(reason) != 0) {
        waited.put(reason, ns(reason));
      }
    }
    return Collections.unmodifiableMap(waited);
  }

  @Override
  public String toString() {
    final StringJoiner waits = new StringJoiner(", ", "{", "}");
    byReason().forEach((reason, ns) -> waits.add(reason.label() + "=" + ns + " ns"));
    return waits.toString();
  }
}
