package dev.headway.router.admission;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The door of a router: requests enter, wait for others to leave, or are turned away. First come,
 * first served. Any thread; what a request that waited does next is called without a lock held, on
 * the thread of the one that left.
 */
public final class Admission {

  /** What became of a request at the door. */
  public enum Answer {
    /** It is under way. */
    ADMITTED,
    /** It waits. */
    WAITING,
    /** Too many wait already. */
    ROOM_FULL,
    /** Too many came in the last second. */
    RATE
  }

  private final AdmissionOptions options;
  private final LongSupplier clock;
  private final @Nullable TokenBucket bucket;
  private final Set<Ticket> waiting = new LinkedHashSet<>();
  private int inside;

  /**
   * Begins empty.
   *
   * @param clock nanoseconds of a clock that does not go back
   */
  public Admission(AdmissionOptions options, LongSupplier clock) {
    this.options = options;
    this.clock = clock;
    this.bucket =
        options.ratePerSecond() > 0
            ? new TokenBucket(options.ratePerSecond(), options.burst(), clock.getAsLong())
            : null;
  }

  /** The limits. */
  public AdmissionOptions options() {
    return options;
  }

  /** A request comes. The ticket must be left, whatever the answer. */
  public synchronized Ticket enter(Runnable whenAdmitted) {
    return new Ticket(whenAdmitted, answer());
  }

  private Answer answer() {
    final boolean isFull = options.maxConcurrent() > 0 && inside >= options.maxConcurrent();
    if (isFull && waiting.size() >= options.waitingRoom()) {
      return Answer.ROOM_FULL;
    }
    if (bucket != null && !bucket.take(clock.getAsLong())) {
      return Answer.RATE;
    }
    return isFull ? Answer.WAITING : Answer.ADMITTED;
  }

  /** Requests under way. */
  public synchronized int inside() {
    return inside;
  }

  /** Requests that wait. */
  public synchronized int waiting() {
    return waiting.size();
  }

  private synchronized @Nullable Ticket left(Ticket ticket) {
    if (ticket.hasLeft) {
      return null;
    }
    ticket.hasLeft = true;
    if (waiting.remove(ticket) || !ticket.isInside) {
      return null;
    }
    inside--;
    final Iterator<Ticket> next = waiting.iterator();
    if (!next.hasNext()) {
      return null;
    }
    final Ticket first = next.next();
    next.remove();
    first.isInside = true;
    inside++;
    return first;
  }

  /** A request's place. */
  public final class Ticket {
    private final Runnable whenAdmitted;
    private final Answer answer;
    private boolean isInside;
    private boolean hasLeft;

    private Ticket(Runnable whenAdmitted, Answer answer) {
      this.whenAdmitted = whenAdmitted;
      this.answer = answer;
      if (answer == Answer.ADMITTED) {
        isInside = true;
        inside++;
      } else if (answer == Answer.WAITING) {
        waiting.add(this);
      }
    }

    /** The answer that it got. */
    public Answer answer() {
      return answer;
    }

    /** Whether it is under way. */
    public boolean isInside() {
      synchronized (Admission.this) {
        return isInside;
      }
    }

    /** It has ended, or waits no longer; again does nothing. */
    public void leave() {
      final Ticket next = left(this);
      if (next != null) {
        next.whenAdmitted.run();
      }
    }
  }
}
