package dev.headway.routing.timing;

import dev.headway.api.time.NanoClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The monotonic clock of this host, which its processes share: {@link System#nanoTime()} on Linux
 * counts from the start of the machine. Instants of two processes may be compared exactly if their
 * clocks have the same id. Any thread.
 */
public final class HostClock {

  private static final int BRACKETS = 10;
  private static final String ID = readId();

  private HostClock() {}

  /** What processes with the same clock have in common; another after a restart of the machine. */
  public static String id() {
    return ID;
  }

  /** Now, in nanoseconds of this clock. */
  public static long nanoTime() {
    return System.nanoTime();
  }

  /**
   * What to add to an instant of {@code clock} to have it on the host's. Exact to the time of a
   * reading, some tens of nanoseconds.
   *
   * @param clock a clock of this process that is not virtual
   */
  public static long offsetOf(NanoClock clock) {
    long narrowestNs = Long.MAX_VALUE;
    long offsetNs = 0;
    for (int i = 0; i < BRACKETS; i++) {
      final long before = nanoTime();
      final long other = clock.nanoTime();
      final long bracketNs = nanoTime() - before;
      if (bracketNs < narrowestNs) {
        narrowestNs = bracketNs;
        offsetNs = before + bracketNs / 2 - other;
      }
    }
    return offsetNs;
  }

  /** Linux says which start of the machine this is, and which clock this process has of it. */
  private static String readId() {
    try {
      final String boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
      final Path clock = Path.of("/proc/self/ns/time");
      return Files.isSymbolicLink(clock)
          ? boot + "/" + Files.readSymbolicLink(clock).getFileName()
          : boot;
    } catch (IOException | SecurityException e) {
      return UUID.randomUUID().toString(); // no other process has it, so nothing is compared
    }
  }
}
