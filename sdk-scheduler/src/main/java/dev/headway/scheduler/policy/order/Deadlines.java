package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.ServiceLedger;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.support.LongLongMap;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When requests want their first token: {@code arrival + min(ttftTarget, timeout)}. Remembered per
 * live request, so that nothing is allocated each time. Engine thread only.
 */
final class Deadlines implements ServiceLedger {

  /** The request has no deadline. */
  static final long NONE = Long.MAX_VALUE;

  private static final long NOT_SEEN = -1;

  private final long defaultTargetNs;
  private final LongLongMap seen = new LongLongMap();

  /**
   * Makes the table.
   *
   * @param defaultTargetNs of requests that name neither, or {@link #NONE}
   */
  Deadlines(long defaultTargetNs) {
    this.defaultTargetNs = defaultTargetNs;
  }

  /** Returns the deadline of a request, an instant of the engine's clock, or {@link #NONE}. */
  long of(RequestView request) {
    long deadline = seen.get(request.number(), NOT_SEEN);
    if (deadline == NOT_SEEN) {
      deadline = read(request);
      seen.put(request.number(), deadline);
    }
    return deadline;
  }

  private long read(RequestView request) {
    final Request asked = request.request();
    final long own = Math.min(nanos(asked.ttftTarget()), nanos(asked.timeout()));
    final long target = own == NONE ? defaultTargetNs : own;
    return target > NONE - request.arrivalNs() ? NONE : request.arrivalNs() + target;
  }

  private static long nanos(@Nullable Duration duration) {
    return duration == null ? NONE : duration.toNanos();
  }

  @Override
  public void onFinished(RequestView request) {
    seen.remove(request.number());
  }
}
