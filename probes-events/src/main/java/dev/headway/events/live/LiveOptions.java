package dev.headway.events.live;

import dev.headway.events.record.JournalLevel;
import java.util.concurrent.ThreadFactory;

/**
 * Options of a {@link LiveProbe}.
 *
 * @param level which records are made
 * @param ringBytes room for records that were not consumed yet, a power of two from 16 KiB to 1
 *     GiB; no record may take more than half of it
 * @param overflow what happens when there is none
 * @param threads creates the consumers' thread
 */
public record LiveOptions(
    JournalLevel level, int ringBytes, Overflow overflow, ThreadFactory threads) {

  private static final int LEAST_RING_BYTES = 1 << 14;
  private static final int MOST_RING_BYTES = 1 << 30;
  private static final int RING_BYTES = 8 << 20;

  /** Level full, 8 MiB, drops, daemon threads. */
  public static final LiveOptions DEFAULT =
      new LiveOptions(
          JournalLevel.FULL,
          RING_BYTES,
          Overflow.DROP,
          task -> Thread.ofPlatform().name("headway-live-probe").daemon().unstarted(task));

  /** Checks the components. */
  public LiveOptions {
    if (level == JournalLevel.OFF) {
      throw new IllegalArgumentException(
          "level of a live probe must be summary, full or debug: level=off; leave the probe out");
    }
    if (ringBytes < LEAST_RING_BYTES
        || ringBytes > MOST_RING_BYTES
        || Integer.bitCount(ringBytes) != 1) {
      throw new IllegalArgumentException(
          "ringBytes must be a power of two in [16384, 1073741824]: ringBytes=" + ringBytes);
    }
  }

  /** Returns these options with another level. */
  public LiveOptions withLevel(JournalLevel level) {
    return new LiveOptions(level, ringBytes, overflow, threads);
  }

  /** Returns these options with a ring of another size. */
  public LiveOptions withRingBytes(int ringBytes) {
    return new LiveOptions(level, ringBytes, overflow, threads);
  }

  /** Returns these options with another rule for a full ring. */
  public LiveOptions withOverflow(Overflow overflow) {
    return new LiveOptions(level, ringBytes, overflow, threads);
  }
}
