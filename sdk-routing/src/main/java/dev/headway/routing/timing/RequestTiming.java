package dev.headway.routing.timing;

import static dev.headway.api.Absent.ABSENT;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a request was where. Each instant is on the clock of the host that read it until {@link
 * #shift} puts it on another's; instants on different clocks are not to be compared. One thread at
 * a time.
 */
public final class RequestTiming {

  private static final TimingStage[] STAGES = TimingStage.values();

  private final long[] atNs = new long[STAGES.length];

  /** Holds no instant yet. */
  public RequestTiming() {
    Arrays.fill(atNs, ABSENT);
  }

  /** Sets an instant, or with {@link dev.headway.api.Absent#ABSENT} takes it away. */
  public RequestTiming set(TimingStage stage, long instantNs) {
    atNs[index(stage)] = instantNs;
    return this;
  }

  /** Sets an instant that is not set yet. */
  public RequestTiming setFirst(TimingStage stage, long instantNs) {
    if (!has(stage)) {
      set(stage, instantNs);
    }
    return this;
  }

  /** Whether the instant is known. */
  public boolean has(TimingStage stage) {
    return atNs[index(stage)] != ABSENT;
  }

  /** An instant, or {@link dev.headway.api.Absent#ABSENT}. */
  public long ns(TimingStage stage) {
    return atNs[index(stage)];
  }

  /** From one instant to another, or {@link dev.headway.api.Absent#ABSENT} if one is not known. */
  public long durationNs(TimingStage from, TimingStage to) {
    return has(from) && has(to) ? ns(to) - ns(from) : ABSENT;
  }

  /** Takes over the instants that another has of this actor. */
  public RequestTiming take(TimingActor actor, RequestTiming other) {
    for (TimingStage stage : STAGES) {
      if (stage.actor() == actor && other.has(stage)) {
        set(stage, other.ns(stage));
      }
    }
    return this;
  }

  /**
   * Puts the instants of an actor on another clock.
   *
   * @param offsetNs what is added to each
   */
  public RequestTiming shift(TimingActor actor, long offsetNs) {
    for (TimingStage stage : STAGES) {
      if (stage.actor() == actor && has(stage)) {
        set(stage, ns(stage) + offsetNs);
      }
    }
    return this;
  }

  /**
   * The first instant that is before one that it cannot be before, or null if all are in order.
   * Instants that are not known are passed over. All must be on one clock.
   *
   * @param toleranceNs how much earlier is still called in order where the actor changes: the error
   *     of the clocks' offset
   */
  public @Nullable TimingStage firstOutOfOrder(long toleranceNs) {
    for (TimingStage stage : STAGES) {
      if (has(stage) && !isBehind(stage.predecessors(), stage, toleranceNs)) {
        return stage;
      }
    }
    return null;
  }

  private boolean isBehind(List<TimingStage> earlier, TimingStage stage, long toleranceNs) {
    for (TimingStage each : earlier) {
      final boolean behind;
      if (has(each)) {
        final long allowedNs = stage.actor() == each.actor() ? 0 : toleranceNs;
        behind = ns(stage) >= ns(each) - allowedNs;
      } else {
        behind = isBehind(each.predecessors(), stage, toleranceNs);
      }
      if (!behind) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("EnumOrdinal") // an index within this process
  private static int index(TimingStage stage) {
    return stage.ordinal();
  }
}
