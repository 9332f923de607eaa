package dev.headway.api.time;

/**
 * Ties a monotonic clock to calendar time, for export only: no duration is ever derived from it.
 *
 * <p>{@code unixEpochNs + (t - monotonicNs)} is the calendar time of instant {@code t}, up to
 * {@code errorNs}.
 *
 * @param unixEpochNs nanoseconds since 1970-01-01T00:00:00Z
 * @param monotonicNs the clock's own reading at that moment, in nanoseconds
 * @param errorNs half the bracket between the two clock readings around the wall reading, >= 0
 */
public record ClockAnchor(long unixEpochNs, long monotonicNs, long errorNs) {

  /** Validates the components. */
  public ClockAnchor {
    if (errorNs < 0) {
      throw new IllegalArgumentException("errorNs must be >= 0: errorNs=" + errorNs);
    }
  }

  /** Returns the calendar time of {@code instantNs}, in nanoseconds since the Unix epoch. */
  public long toUnixEpochNs(long instantNs) {
    return unixEpochNs + (instantNs - monotonicNs);
  }
}
