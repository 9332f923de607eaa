package dev.headway.routing.timing;

import java.util.ArrayDeque;

/**
 * How far the clock of another host is ahead of this one, estimated from requests and their
 * answers.
 *
 * <p>Of a request that left at {@code sent}, was read by the other at {@code received}, answered at
 * {@code replied} and read here at {@code returned}, the offset is {@code ((received - sent) +
 * (replied - returned)) / 2} if both ways took equally long, and wrong by at most half of what both
 * took together: {@code ((returned - sent) - (replied - received)) / 2} (NTP, RFC 5905 §8). The
 * request with the least error of the last minute counts, or the last one if that was longer ago.
 * One thread at a time.
 */
public final class ClockOffset {

  /** How long an estimate counts: clocks drift, by up to some 50 ns in a millisecond. */
  private static final long WINDOW_NS = 60_000_000_000L;

  /**
   * An estimate.
   *
   * @param offsetNs the other clock minus ours
   * @param errorNs by how much that may be wrong, either way
   */
  public record Estimate(long offsetNs, long errorNs) {

    /** Of clocks that are the same. */
    public static final Estimate SAME_CLOCK = new Estimate(0, 0);
  }

  private record Sample(long atNs, Estimate estimate) {}

  /** Errors rise from the first to the last: what is worse than a later one never counts again. */
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();

  /** Knows nothing yet. */
  public ClockOffset() {}

  /**
   * Learns from a request and its answer.
   *
   * @param sentNs ours
   * @param receivedNs the other's
   * @param repliedNs the other's
   * @param returnedNs ours
   */
  public void learn(long sentNs, long receivedNs, long repliedNs, long returnedNs) {
    final long awayNs = returnedNs - sentNs;
    final long thereNs = repliedNs - receivedNs;
    if (awayNs < thereNs || thereNs < 0) {
      return; // it was longer there than away: one of the clocks was set
    }
    final long offsetNs = ((receivedNs - sentNs) + (repliedNs - returnedNs)) / 2;
    final Estimate estimate = new Estimate(offsetNs, (awayNs - thereNs + 1) / 2);
    while (!samples.isEmpty() && samples.peekLast().estimate.errorNs >= estimate.errorNs) {
      samples.removeLast();
    }
    samples.addLast(new Sample(returnedNs, estimate));
    forget(returnedNs);
  }

  /** Whether there is an estimate. */
  public boolean isKnown() {
    return !samples.isEmpty();
  }

  /**
   * The best estimate.
   *
   * @throws IllegalStateException if there is none
   */
  public Estimate estimate() {
    if (samples.isEmpty()) {
      throw new IllegalStateException("a request must have been learnt from");
    }
    return samples.getFirst().estimate;
  }

  private void forget(long nowNs) {
    while (samples.size() > 1 && nowNs - samples.getFirst().atNs > WINDOW_NS) {
      samples.removeFirst();
    }
  }
}
