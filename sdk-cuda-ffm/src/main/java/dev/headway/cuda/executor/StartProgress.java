package dev.headway.cuda.executor;

import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log how far a start is, once a second: nothing of one that takes less. One thread.
 */
final class StartProgress {
  private static final Logger LOG = LoggerFactory.getLogger(CudaExecutor.class);
  private static final long INTERVAL_NS = 1_000_000_000;
  private static final long NS_PER_MS = 1_000_000;

  private final LongSupplier clock;
  private final Consumer<String> log;
  private final long beginNs;
  private long toldNs;

  StartProgress() {
    this(System::nanoTime, LOG::info);
  }

  StartProgress(LongSupplier clock, Consumer<String> log) {
    this.clock = clock;
    this.log = log;
    beginNs = clock.getAsLong();
    toldNs = beginNs;
  }

  /** Something is done, in words that follow "starting: ". */
  void passed(String what) {
    final long nowNs = clock.getAsLong();
    if (nowNs - toldNs >= INTERVAL_NS) {
      toldNs = nowNs;
      log.accept("starting: " + what + ", " + sinceBeginMs(nowNs) + " ms so far");
    }
  }

  /** All is done; {@code what} are the recordings. */
  void ready(String what) {
    if (toldNs != beginNs) {
      log.accept("started in " + sinceBeginMs(clock.getAsLong()) + " ms; decode steps: " + what);
    }
  }

  private long sinceBeginMs(long nowNs) {
    return (nowNs - beginNs) / NS_PER_MS;
  }
}
