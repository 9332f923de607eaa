package dev.headway.faultsim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices threads whose simulation makes no step any more: an endless loop inside a step would
 * otherwise look like a long run. Any thread.
 */
final class StepWatch {

  private final long longestNs;
  private final List<Worker> workers = new ArrayList<>();

  /** Makes a watch; a step may take {@code longestNs}. */
  StepWatch(long longestNs) {
    this.longestNs = longestNs;
  }

  /** A thread that simulates one seed after the other. */
  static final class Worker {

    private final Thread thread;
    private final LongSupplier steps;
    private volatile long seed;
    private volatile boolean isBusy;
    private long stepsSeen = -1;
    private long seenAtNs;

    private Worker(Thread thread, LongSupplier steps) {
      this.thread = thread;
      this.steps = steps;
    }

    /** It simulates this seed from now on. */
    void begin(long ofSeed) {
      seed = ofSeed;
      isBusy = true;
    }

    /** It rests. */
    void end() {
      isBusy = false;
    }

    long seed() {
      return seed;
    }

    Thread thread() {
      return thread;
    }
  }

  /** Watches a thread too, which has begun so many steps. */
  synchronized Worker watch(Thread thread, LongSupplier steps) {
    final Worker worker = new Worker(thread, steps);
    workers.add(worker);
    return worker;
  }

  /** Returns a worker that has been in one step for too long, or null. */
  synchronized @Nullable Worker findStalled(long nowNs) {
    for (Worker worker : workers) {
      final long steps = worker.steps.getAsLong();
      if (steps != worker.stepsSeen || !worker.isBusy) {
        worker.stepsSeen = steps;
        worker.seenAtNs = nowNs;
      } else if (nowNs - worker.seenAtNs >= longestNs) {
        return worker;
      }
    }
    return null;
  }
}
