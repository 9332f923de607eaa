package dev.headway.router.resilience;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Leaves a worker alone that failed several times in a row, and tries it again after a while with
 * few requests.
 *
 * <pre>{@code
 * closed ── failures in a row, within the window ──▶ open
 *   ▲                                              │  ▲
 *   │ successes in a row                      time │  │ any failure
 *   └──────────────── half-open ◀──────────────────┘  │
 *                         └───────────────────────────┘
 * }</pre>
 *
 * <p>Open it also becomes half-open when the worker is {@link #back}: if it was opened by
 * connections that were refused or lost, a good health check says that there is a process again,
 * and there is no reason to wait for the time. A worker that answers its checks and fails requests
 * is left alone for all of it.
 *
 * <p>What a request that began in an earlier state reports does not count. Any thread.
 */
public final class CircuitBreaker {

  /** Its state. */
  public enum State {
    /** Requests pass. */
    CLOSED,
    /** None does. */
    OPEN,
    /** A few do, to find out. */
    HALF_OPEN;

    /** The name in answers and metrics. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How a request went, as far as it says something about the worker. */
  public enum Verdict {
    /** The worker did its work. */
    SUCCESS,
    /** It did not. */
    FAILURE,
    /** It was not there: its connection was refused, or lost before the end of the answer. */
    LOST,
    /** The request says nothing: its client went away, or the worker was merely busy. */
    NONE
  }

  /** No era: what the request says further does not count. */
  private static final long SETTLED = -1;

  private final BreakerOptions options;
  private final LongSupplier clock;
  private final Deque<Long> failures = new ArrayDeque<>();
  private State state = State.CLOSED;
  private long era;
  private long openedAtNs;
  private boolean isLost;
  private int trials;
  private int successes;

  /**
   * Begins closed.
   *
   * @param clock nanoseconds of a clock that does not go back
   */
  public CircuitBreaker(BreakerOptions options, LongSupplier clock) {
    this.options = options;
    this.clock = clock;
  }

  /** Its state now. */
  public synchronized State state() {
    if (state == State.OPEN && clock.getAsLong() - openedAtNs >= options.open().toNanos()) {
      turn(State.HALF_OPEN);
    }
    return state;
  }

  /** Whether a request may begin. */
  public synchronized boolean allows() {
    return switch (state()) {
      case CLOSED -> true;
      case OPEN -> false;
      case HALF_OPEN -> trials < options.trials();
    };
  }

  /** The worker has answered a health check. */
  public synchronized void back() {
    if (state() == State.OPEN && isLost) {
      turn(State.HALF_OPEN);
    }
  }

  /**
   * The worker has begun to answer: a trial has succeeded, however long the answer takes.
   *
   * @param began what {@link #began} returned
   * @return what {@link #ended} wants from now on
   */
  public synchronized long answered(long began) {
    if (began != era || state != State.HALF_OPEN) {
      return began;
    }
    trials--;
    succeeded();
    return SETTLED;
  }

  /** A request begins. Returns what {@link #ended} wants. */
  public synchronized long began() {
    if (state() == State.HALF_OPEN) {
      trials++;
    }
    return era;
  }

  /**
   * A request ended.
   *
   * @param began what {@link #began} returned
   */
  public synchronized void ended(long began, Verdict verdict) {
    if (began != era) {
      return;
    }
    if (state == State.HALF_OPEN) {
      trials--;
    }
    switch (verdict) {
      case SUCCESS -> succeeded();
      case FAILURE, LOST -> {
        isLost = verdict == Verdict.LOST;
        failed();
      }
      case NONE -> {}
    }
  }

  private void succeeded() {
    failures.clear();
    if (state == State.HALF_OPEN && ++successes >= options.successes()) {
      turn(State.CLOSED);
    }
  }

  private void failed() {
    final long nowNs = clock.getAsLong();
    if (state == State.HALF_OPEN) {
      open(nowNs);
      return;
    }
    failures.addLast(nowNs);
    while (nowNs - failures.getFirst() > options.window().toNanos()) {
      failures.removeFirst();
    }
    if (failures.size() >= options.failures()) {
      open(nowNs);
    }
  }

  private void open(long nowNs) {
    openedAtNs = nowNs;
    turn(State.OPEN);
  }

  private void turn(State next) {
    state = next;
    era++;
    trials = 0;
    successes = 0;
    failures.clear();
  }
}
