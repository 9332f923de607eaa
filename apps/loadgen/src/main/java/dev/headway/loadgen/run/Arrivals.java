package dev.headway.loadgen.run;

/** What decides when the next request is let go. */
public sealed interface Arrivals {

  /**
   * A schedule, whatever becomes of earlier requests.
   *
   * @param offsetsNs when each request is let go, in nanoseconds after the start, ascending; not
   *     copied
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record OpenLoop(long[] offsetsNs) implements Arrivals {}

  /**
   * Users who each send the next request when the last one has ended.
   *
   * @param users how many, at least 1
   * @param thinkSeconds how long each waits in between, at least 0
   */
  record ClosedLoop(int users, double thinkSeconds) implements Arrivals {

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException naming the one that is out of range
     */
    public ClosedLoop {
      if (users < 1) {
        throw new IllegalArgumentException("users must be >= 1: users=" + users);
      }
      if (!(thinkSeconds >= 0 && thinkSeconds < 1e9)) {
        throw new IllegalArgumentException("think time must be >= 0: seconds=" + thinkSeconds);
      }
    }
  }
}
