package dev.headway.faultsim.simulation;

import dev.headway.api.schedule.WaitReason;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** How long a request has waited, by reason. */
final class WaitAccount {

  private static final WaitReason[] REASONS = WaitReason.values();

  private final long[] ns = new long[REASONS.length];
  private @Nullable WaitReason reason;
  private boolean isOpen;
  private long sinceNs;

  /** Its own reason, by the decisions so far; null if it shares that of the others. */
  @Nullable WaitReason own;

  /** Whether the decisions so far leave it in the queue. */
  boolean isQueued;

  boolean isOpen() {
    return isOpen;
  }

  long sinceNs() {
    return sinceNs;
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  long ns(WaitReason waited) {
    return ns[waited.ordinal()];
  }

  void begin(WaitReason because, long nowNs) {
    isOpen = true;
    reason = because;
    sinceNs = nowNs;
  }

  /** It waits for this reason from now on. */
  void because(@Nullable WaitReason other, long nowNs) {
    if (reason != other) {
      settle(nowNs);
      reason = other;
    }
  }

  void end(long nowNs) {
    settle(nowNs);
    isOpen = false;
  }

  @SuppressWarnings("EnumOrdinal")
  private void settle(long nowNs) {
    if (reason != null) {
      ns[reason.ordinal()] += nowNs - sinceNs;
    }
    sinceNs = nowNs;
  }

  @Override
  public String toString() {
    final StringBuilder text = new StringBuilder("{");
    Arrays.stream(REASONS)
        .filter(waited -> ns(waited) != 0)
        .forEach(waited -> text.append(waited.label()).append('=').append(ns(waited)).append(' '));
    return text.append('}').toString();
  }
}
