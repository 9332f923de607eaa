package dev.headway.scheduler.engine;

import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.schedule.Scheduler;
import dev.headway.api.time.NanoClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Further inputs of a session on their way to the scheduler, in the order in which callers gave
 * them, and how long it has had none. {@link #append} and {@link #end} on any thread, everything
 * else on the engine's.
 */
final class SessionInputs {

  /** Most inputs that have not begun their turn. */
  static final int MOST_WAITING = 256;

  private record Given(SessionInput input, long arrivalNs) {}

  private final LiveRequest live;
  private final NanoClock clock;
  private final RequestRules rules;

  // guarded by this

  /**
   * The items of all inputs, as if nothing were generated between them, and the tokens of those.
   */
  private List<MultiModalItem> items;

  private int tokens;
  private final Queue<Given> queue = new ArrayDeque<>();
  private boolean ended;
  private int given;
  private int turns;

  private long idleSinceNs;
  private boolean isEndTold;
  private boolean watched;

  SessionInputs(LiveRequest live, NanoClock clock, RequestRules rules) {
    this.live = live;
    this.clock = clock;
    this.rules = rules;
    items = live.request.items();
    tokens = live.request.promptTokens();
  }

  /** Takes an input; false if there can be none any more. */
  synchronized boolean append(SessionInput input) {
    final List<MultiModalItem> all = withItemsOf(input);
    rules.requireComputable(live.id(), input, all, items.size());
    if (ended || live.isDone()) {
      return false;
    }
    if (given - turns >= MOST_WAITING) {
      throw new IllegalStateException(
          "at most "
              + MOST_WAITING
              + " inputs of a session can wait for their turn: id="
              + live.id()
              + ", waiting="
              + (given - turns)
              + "; append the next when a turn has ended");
    }
    given++;
    items = all;
    tokens = (int) Math.min(Integer.MAX_VALUE, (long) tokens + input.tokens());
    queue.add(new Given(input, clock.nanoTime()));
    return true;
  }

  private List<MultiModalItem> withItemsOf(SessionInput input) {
    if (input.items().isEmpty()) {
      return items;
    }
    final List<MultiModalItem> all = new ArrayList<>(items);
    input.items().forEach(item -> all.add(item.shiftedBy(tokens)));
    return all;
  }

  /** No input comes any more; false if that was known, or the session has ended. */
  synchronized boolean end() {
    if (ended || live.isDone()) {
      return false;
    }
    ended = true;
    return true;
  }

  /** Hands over what has been given so far. */
  void handOver(Scheduler scheduler, RequestView view) {
    final boolean isAll = isEnded(); // asked first: until the end is there an input may come
    for (Given next = next(); next != null && !live.isDone(); next = next()) {
      scheduler.append(view, next.input(), next.arrivalNs());
    }
    if (isAll && !isEndTold && !live.isDone()) {
      isEndTold = true;
      scheduler.endInput(view);
    }
  }

  private synchronized @Nullable Given next() {
    return queue.poll();
  }

  private synchronized boolean isEnded() {
    return ended;
  }

  /** A turn has ended; returns its number, from 0. */
  synchronized int turnEnded(long nowNs) {
    idleSinceNs = nowNs;
    return turns++;
  }

  /** Whether it waits for input. */
  synchronized boolean isIdle() {
    return given < turns;
  }

  /** Whether a deadline is set for its waiting. */
  boolean isWatched() {
    return watched;
  }

  void watched(boolean isWatched) {
    watched = isWatched;
  }

  /** Whether it has waited so long by now. */
  boolean isIdleFor(Duration longest) {
    return clock.nanoTime() >= idleUntilNs(longest);
  }

  /** Until when it may wait for input, if it does. */
  long idleUntilNs(Duration longest) {
    return RequestDeadlines.after(idleSinceNs, longest);
  }
}
