package dev.headway.grammar.network;

import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.ConstraintException.Kind;
import dev.headway.grammar.GrammarLimits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** What is left for one compilation: states and time. One thread. */
public final class Budget {

  private static final int STATES_BETWEEN_LOOKS = 256;

  private final GrammarLimits limits;
  private final long untilNs;
  private int states;

  /** Begins a compilation now. */
  public Budget(GrammarLimits limits) {
    this.limits = limits;
    this.untilNs = nowNs() + limits.maxCompileTime().toNanos();
  }

  /** The time that this thread has computed, where the JVM counts it: others may be busier. */
  private static long nowNs() {
    final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    return threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled()
        ? threads.getCurrentThreadCpuTime()
        : System.nanoTime();
  }

  /** The limits it is made of. */
  public GrammarLimits limits() {
    return limits;
  }

  /**
   * Takes states that are about to be made.
   *
   * @throws ConstraintException if there are too many
   */
  public void states(long count) {
    requireStates(states + count);
    final int before = states;
    states += (int) count;
    if (before / STATES_BETWEEN_LOOKS != states / STATES_BETWEEN_LOOKS) {
      time();
    }
  }

  /**
   * Looks whether so many states may be, without taking them.
   *
   * @throws ConstraintException if there are too many
   */
  public void requireStates(long count) {
    if (count > limits.maxStates()) {
      throw new ConstraintException(
          Kind.LIMIT,
          "",
          "a grammar must be small; lower its counts or its depth: states="
              + count
              + " or more, most="
              + limits.maxStates());
    }
  }

  /**
   * Looks at the time.
   *
   * @throws ConstraintException if it is over
   */
  public void time() {
    if (nowNs() - untilNs > 0) {
      throw new ConstraintException(
          Kind.LIMIT,
          "",
          "a grammar must be compiled in "
              + limits.maxCompileTime().toMillis()
              + " ms of a processor's time");
    }
  }
}
