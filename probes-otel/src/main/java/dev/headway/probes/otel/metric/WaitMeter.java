package dev.headway.probes.otel.metric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How long requests have waited, and for what. One thread.
 *
 * <p>A change costs the same however many wait: requests are counted per reason, and a reason's
 * time grows by its count. Those without a reason of their own share one, which moves as a whole.
 * Each nanosecond of a wait is booked to one reason.
 */
final class WaitMeter {

  static final String INITIAL = "initial_waiting";
  static final String UNKNOWN = "unknown";
  static final String PREEMPTED = "preempted";
  static final String EVICTED = "evicted";

  /** The part of a request that this class minds. */
  static final class Waiter {
    private @Nullable Reason own;
    private boolean shares;

    boolean isWaiting() {
      return shares || own != null;
    }
  }

  /** Requests that wait for one thing. */
  private static final class Reason {
    private final String label;
    private long count;
    private long sinceNs;
    private long totalNs;
    private long publishedNs;

    Reason(String label) {
      this.label = label;
    }

    void change(long by, long nowNs) {
      book(nowNs);
      count += by;
    }

    void book(long nowNs) {
      totalNs += count * (nowNs - sinceNs);
      sinceNs = nowNs;
    }
  }

  private final Map<String, Reason> reasons = new HashMap<>();
  private final List<Waiter> newcomers = new ArrayList<>();
  private Reason shared = reason(UNKNOWN);
  private long sharing;

  /** A request was queued: no plan has seen it yet. */
  void queued(Waiter waiter, long nowNs) {
    own(waiter, INITIAL, nowNs);
    newcomers.add(waiter);
  }

  /** It waits for a reason of its own. */
  void own(Waiter waiter, String label, long nowNs) {
    leave(waiter, nowNs);
    final Reason reason = reason(label);
    reason.change(1, nowNs);
    waiter.own = reason;
  }

  /** It waits for what the others wait for. */
  void share(Waiter waiter, long nowNs) {
    leave(waiter, nowNs);
    shared.change(1, nowNs);
    waiter.shares = true;
    sharing++;
  }

  /** It waits no more. */
  void leave(Waiter waiter, long nowNs) {
    if (waiter.own != null) {
      waiter.own.change(-1, nowNs);
      waiter.own = null;
    }
    if (waiter.shares) {
      shared.change(-1, nowNs);
      waiter.shares = false;
      sharing--;
    }
  }

  /** The reason of those without their own is another now. */
  void shareReason(String label, long nowNs) {
    final Reason next = reason(label);
    shared.change(-sharing, nowNs);
    next.change(sharing, nowNs);
    shared = next;
  }

  /** A plan was made: it has seen everybody. */
  void planned(long nowNs) {
    for (Waiter waiter : newcomers) {
      if (waiter.own != null && waiter.own.label.equals(INITIAL)) {
        share(waiter, nowNs);
      }
    }
    newcomers.clear();
  }

  /** Requests that wait for a reason now. */
  long waitingFor(String label) {
    final Reason reason = reasons.get(label);
    return reason == null ? 0 : reason.count;
  }

  /** Tells the nanoseconds that each reason has got since the last call. */
  void publish(long nowNs, BiConsumer<String, Long> seconds, ObjIntConsumer<String> counts) {
    for (Reason reason : reasons.values()) {
      reason.book(nowNs);
      if (reason.totalNs > reason.publishedNs) {
        seconds.accept(reason.label, reason.totalNs - reason.publishedNs);
        reason.publishedNs = reason.totalNs;
      }
      counts.accept(reason.label, (int) reason.count);
    }
  }

  private Reason reason(String label) {
    return reasons.computeIfAbsent(label, Reason::new);
  }
}
