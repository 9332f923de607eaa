package dev.headway.routing.core;

import java.util.ArrayDeque;

/**
 * Prompt tokens sent to a worker that its last report cannot know of, because they were sent after
 * the moment that it describes. Guarded by the router's lock, but for {@link #total}, which any
 * thread may read.
 *
 * <p>Bounded: of a worker that is sent much and never reports, what is oldest is counted in one.
 */
final class SentTokens {

  private static final int MAX_ENTRIES = 1 << 10;

  private record Sent(long atNs, long tokens) {}

  private final ArrayDeque<Sent> later = new ArrayDeque<>();
  private volatile long total;

  /** Counts what is sent now. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the holder of the router's lock
  void sent(long atNs, long tokens) {
    if (later.size() == MAX_ENTRIES) {
      final long oldest = later.removeFirst().tokens;
      final Sent next = later.removeFirst();
      later.addFirst(new Sent(next.atNs, oldest + next.tokens));
    }
    later.addLast(new Sent(atNs, tokens));
    total += tokens;
  }

  /** Leaves out what a report of this moment knows. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // one writer: the holder of the router's lock
  void reported(long atNs) {
    while (!later.isEmpty() && later.getFirst().atNs <= atNs) {
      total -= later.removeFirst().tokens;
    }
  }

  /** What the last report does not know. */
  long total() {
    return total;
  }
}
