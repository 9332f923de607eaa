package dev.headway.loadgen.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Lets so many requests through at once; the others wait in their order. Any thread. */
final class Gate {

  private final int places;
  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private int taken;

  /** A gate with so many places; 0 for any number. */
  Gate(int places) {
    this.places = places;
  }

  /** Runs {@code send} now, or on the thread that gives a place back. */
  void enter(Runnable send) {
    if (places > 0) {
      synchronized (this) {
        if (taken == places) {
          waiting.addLast(send);
          return;
        }
        taken++;
      }
    }
    send.run();
  }

  /** Gives a place back. */
  void leave() {
    if (places == 0) {
      return;
    }
    final Runnable next;
    synchronized (this) {
      next = waiting.pollFirst();
      if (next == null) {
        taken--;
      }
    }
    if (next != null) {
      next.run();
    }
  }

  /** Lets those that wait go elsewhere: they have no place and need none. */
  synchronized List<Runnable> clear() {
    final List<Runnable> all = List.copyOf(waiting);
    waiting.clear();
    return all;
  }
}
