package dev.headway.scheduler.policy.guard;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known of one policy object, however many decisions it makes: the time it takes and
 * whether it is still asked. Engine thread only, except {@link #isDisabled}.
 */
final class PolicyHealth {

  private static final Logger LOG = LoggerFactory.getLogger(PolicyHealth.class);

  private final String name;
  private final GuardLimits limits;
  private final LongSupplier clock;
  private long stepNs;
  private int overruns;
  private boolean told;
  private volatile boolean disabled;

  PolicyHealth(Object policy, GuardLimits limits, LongSupplier clock) {
    this.name = policy.getClass().getName();
    this.limits = limits;
    this.clock = clock;
  }

  /** Whether it is no longer asked. Any thread. */
  boolean isDisabled() {
    return disabled;
  }

  /** Time of this policy since the step began, in ns. */
  long stepNs() {
    return stepNs;
  }

  long start() {
    return clock.getAsLong();
  }

  void stop(long startNs) {
    stepNs += clock.getAsLong() - startNs;
  }

  /** Judges the step that is over and begins the next one. */
  void nextStep() {
    final boolean overran = limits.stepBudgetNs() > 0 && stepNs > limits.stepBudgetNs();
    overruns = overran ? overruns + 1 : 0;
    if (overruns >= limits.consecutiveOverruns() && !disabled) {
      disable(
          "it took more than its time in consecutive steps: stepNs="
              + stepNs
              + ", stepBudgetNs="
              + limits.stepBudgetNs()
              + ", steps="
              + overruns);
    }
    stepNs = 0;
  }

  /** A decision failed: the first failure is logged, too many disable the policy. */
  void failed(PolicyDecision decision, int inARow, String what, @Nullable Throwable cause) {
    if (!told) {
      told = true;
      log(
          "policy {} failed, the default decides instead: decision={}, {}",
          name,
          decision,
          what,
          cause);
    }
    if (!disabled && (cause instanceof Error || inARow >= limits.consecutiveFaults())) {
      disable("decision=" + decision + ", consecutiveFaults=" + inARow + ", last: " + what);
    }
  }

  private void disable(String why) {
    disabled = true;
    log("policy {} is disabled for the rest of the run: {}", name, why);
  }

  /** Logs; a throwable whose own methods throw, or a broken binding, is not let through. */
  private static void log(String format, @Nullable Object... arguments) {
    try {
      LOG.warn(format, arguments);
    } catch (Throwable t) {
      // the fault is counted; the listener itself failed
    }
  }
}
