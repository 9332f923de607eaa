package dev.headway.report.explain;

import dev.headway.events.model.RequestTimeline;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Time that a request spends on one thing. A interval of waiting ends when the reason changes; in a
 * seat there is one interval for each kind of work, which may be interrupted by others.
 */
final class Interval implements TimelineEntry {

  private static final int SEATS_NAMED = 8;

  private final AccountPhase phase;
  private final String label;
  private final long fromNs;
  private final List<Blocker> blockers = new ArrayList<>();

  private long openSinceNs;
  private boolean open;
  private long untilNs;
  private long totalNs;
  private int steps;
  private long firstStep;
  private long lastStep;
  private long tokens;
  private int smallestChunk = Integer.MAX_VALUE;
  private int largestChunk;
  private long produced;
  private @Nullable Ranks ranks;
  private @Nullable Seats seats;

  /**
   * Which requests had the seats when it was first refused one.
   *
   * @param ids the first few of them, in the order of admission
   * @param count all of them
   */
  record Seats(List<String> ids, int count) {}

  Interval(AccountPhase phase, String label, long fromNs) {
    this.phase = phase;
    this.label = label;
    this.fromNs = fromNs;
    this.openSinceNs = fromNs;
    this.open = true;
  }

  /** It goes on after an interruption. */
  void resume(long nowNs) {
    openSinceNs = nowNs;
    open = true;
  }

  /** It is over, or interrupted. */
  void pause(long nowNs) {
    if (open) {
      totalNs += nowNs - openSinceNs;
      untilNs = nowNs;
      open = false;
    }
  }

  /** A step left it as it is. */
  void step(long stepId) {
    if (steps++ == 0) {
      firstStep = stepId;
    }
    lastStep = stepId;
  }

  /** A step computed tokens. */
  void chunk(int chunk) {
    tokens += chunk;
    smallestChunk = Math.min(smallestChunk, chunk);
    largestChunk = Math.max(largestChunk, chunk);
  }

  void produced(int count) {
    produced += count;
  }

  /** Notes the blocker if it has changed. */
  void hindered(Blocker blocker) {
    if (blockers.isEmpty() || !blockers.get(blockers.size() - 1).covers(blocker)) {
      blockers.add(blocker);
    }
  }

  void ranked(Ranks.Rank rank) {
    if (ranks == null) {
      ranks = new Ranks(rank);
    } else {
      ranks.add(rank);
    }
  }

  /** Notes which requests have the seats, unless that is known. */
  void seats(Collection<RequestTimeline> running) {
    if (seats == null && !running.isEmpty()) {
      seats =
          new Seats(
              running.stream().limit(SEATS_NAMED).map(RequestTimeline::id).toList(),
              running.size());
    }
  }

  /** Which requests had the seats that it waited for; null if it waited for something else. */
  @Nullable Seats seats() {
    return seats;
  }

  boolean is(AccountPhase otherPhase, String otherLabel) {
    return phase == otherPhase && label.equals(otherLabel);
  }

  @Override
  public long atNs() {
    return fromNs;
  }

  AccountPhase phase() {
    return phase;
  }

  String label() {
    return label;
  }

  /** The end of its latest part. */
  long untilNs() {
    return untilNs;
  }

  /** Its parts taken together. */
  long totalNs() {
    return totalNs;
  }

  int steps() {
    return steps;
  }

  /** Meaningful if there were steps, as the next ones. */
  long firstStep() {
    return firstStep;
  }

  long lastStep() {
    return lastStep;
  }

  long tokens() {
    return tokens;
  }

  int smallestChunk() {
    return smallestChunk;
  }

  int largestChunk() {
    return largestChunk;
  }

  long produced() {
    return produced;
  }

  @Nullable Ranks ranks() {
    return ranks;
  }

  List<Blocker> blockers() {
    return blockers;
  }

  /** How long an blocker stood. */
  long lengthNs(int blocker) {
    final boolean last = blocker + 1 == blockers.size();
    return (last ? untilNs : blockers.get(blocker + 1).sinceNs()) - blockers.get(blocker).sinceNs();
  }

  /** The blocker that stood longest, or null if there was none. */
  @Nullable Blocker longestBlocker() {
    Blocker longest = null;
    long ns = Long.MIN_VALUE;
    for (int i = 0; i < blockers.size(); i++) {
      if (lengthNs(i) > ns) {
        ns = lengthNs(i);
        longest = blockers.get(i);
      }
    }
    return longest;
  }
}
