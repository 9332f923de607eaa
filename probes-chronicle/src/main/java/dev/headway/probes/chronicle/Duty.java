package dev.headway.probes.chronicle;

/** What is done beside the engine thread, again and again, a bit at a time. */
@FunctionalInterface
interface Duty {

  /** Until {@link Worker#wake}. */
  long UNTIL_WOKEN = Long.MAX_VALUE;

  /**
   * Does what is due.
   *
   * @return how long nothing will be due unless it is woken, in nanoseconds; 0 if more is due
   */
  long work();
}
