package dev.headway.report.html.figures;

import dev.headway.events.model.RequestTimeline;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How many requests that came earlier were waiting while one request waited, from its queueing to
 * its first admission or end. At most {@value #MOST_POINTS} changes are kept; of more, every n-th,
 * and always the first and the last.
 */
public final class QueueTrace {

  private static final int MOST_POINTS = 128;

  private final long number;
  private final String id;
  private final @Nullable String tenant;
  private final int priority;
  private final int atArrival;
  private final long fromNs;
  private long toNs;
  private int ahead;
  private long changedNs;
  private long overtakenBy;
  private long changes;
  private long step = 1;
  private int size;
  private long[] times = new long[4];
  private int[] positions = new int[4];

  QueueTrace(RequestTimeline request, int ahead) {
    this.number = request.number();
    this.id = request.id();
    this.tenant = request.queued().tenant();
    this.priority = request.queued().priority();
    this.atArrival = ahead;
    this.ahead = ahead;
    this.fromNs = request.queued().queuedNs();
    this.toNs = fromNs;
    this.changedNs = fromNs;
    keep(fromNs, ahead);
  }

  /** The caller's name for the request. */
  public String id() {
    return id;
  }

  /** On whose account it ran, or null. */
  public @Nullable String tenant() {
    return tenant;
  }

  /** Smaller is more important. */
  public int priority() {
    return priority;
  }

  /** Requests waiting when it came. */
  public int atArrival() {
    return atArrival;
  }

  /** Later requests that were admitted before it. */
  public long overtakenBy() {
    return overtakenBy;
  }

  /** When it entered the queue. */
  public long fromNs() {
    return fromNs;
  }

  /** When it left the queue. */
  public long toNs() {
    return toNs;
  }

  /** How long it waited. */
  public long lengthNs() {
    return toNs - fromNs;
  }

  /** Instants of changes, the first and the last instant of the wait included. */
  public double[] times() {
    return Arrays.stream(times, 0, size).asDoubleStream().toArray();
  }

  /** Requests ahead from each of those instants on. */
  public double[] positions() {
    return Arrays.stream(positions, 0, size).asDoubleStream().toArray();
  }

  long number() {
    return number;
  }

  void overtaken() {
    overtakenBy++;
  }

  /** One ahead left or came back. Changes of one instant are one change. */
  void move(int by, long nowNs) {
    if (nowNs != changedNs) {
      settle();
      changedNs = nowNs;
    }
    ahead += by;
  }

  void end(long nowNs) {
    settle();
    toNs = nowNs;
    if (size == MOST_POINTS) {
      size--;
    }
    keep(nowNs, ahead);
  }

  private void settle() {
    if (positions[size - 1] == ahead) {
      return;
    }
    if (times[size - 1] == changedNs) {
      positions[size - 1] = ahead;
    } else if (++changes % step == 0) {
      if (size == MOST_POINTS) {
        thinOut();
      }
      keep(changedNs, ahead);
    }
  }

  private void thinOut() {
    int kept = 0;
    for (int i = 0; i < size; i += 2) {
      times[kept] = times[i];
      positions[kept++] = positions[i];
    }
    size = kept;
    step *= 2;
  }

  private void keep(long atNs, int position) {
    if (size == times.length) {
      times = Arrays.copyOf(times, 2 * size);
      positions = Arrays.copyOf(positions, 2 * size);
    }
    times[size] = atNs;
    positions[size++] = position;
  }
}
