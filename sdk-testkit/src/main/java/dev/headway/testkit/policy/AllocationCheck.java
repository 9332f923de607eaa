package dev.headway.testkit.policy;

import com.sun.management.ThreadMXBean;
import dev.headway.api.policy.Policies;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A warm policy allocates nothing. Skipped where the JVM does not count bytes per thread. What the
 * JVM itself allocates now and then is not held against the policy: one clean round is enough.
 */
final class AllocationCheck implements Check {

  private static final int ROUNDS = 40;
  private static final int CALLS = 1_000;

  /** Far below one object per call. */
  private static final long TOLERANCE_BYTES = 1_024;

  @Override
  public String name() {
    return "no allocation when warm";
  }

  @Override
  public void run(Supplier<Policies> policies, long seed, Findings findings) {
    final ThreadMXBean threads = threads();
    if (threads == null) {
      return;
    }
    final SteadyCalls calls = new SteadyCalls(policies.get());
    long least = Long.MAX_VALUE;
    try {
      for (int round = 0; round < ROUNDS && least > TOLERANCE_BYTES; round++) {
        final long before = threads.getCurrentThreadAllocatedBytes();
        calls.run(CALLS);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    } catch (Throwable t) {
      findings.add(name(), seed, "a policy must not throw: " + t);
      return;
    }
    if (least > TOLERANCE_BYTES) {
      findings.add(name(), seed, "bytes per call must be 0: bytes=" + least / CALLS);
    }
  }

  private static @Nullable ThreadMXBean threads() {
    try {
      return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
              && threads.isThreadAllocatedMemorySupported()
              && threads.isThreadAllocatedMemoryEnabled()
          ? threads
          : null;
    } catch (LinkageError e) {
      return null;
    }
  }
}
