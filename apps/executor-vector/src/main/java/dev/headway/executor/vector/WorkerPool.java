package dev.headway.executor.vector;

import dev.headway.api.internal.Threads;
import dev.headway.executor.reference.HostTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The engine thread and a fixed number of threads beside it, which share the pieces of one task at
 * a time. Made for thousands of tasks of some microseconds per second.
 *
 * <p>A free thread takes the next piece. A thread that finds no task spins for 50 microseconds,
 * longer than it takes from one task of a step to the next, and then sleeps until it is woken. The
 * engine thread waits for those that have joined a task and for no other, so a thread that sleeps
 * or is not scheduled delays no other. {@link #forEach} allocates nothing.
 */
final class WorkerPool implements AutoCloseable {

  /** As work: also small tasks are worth sharing. */
  static final long ALWAYS_SHARED = Long.MAX_VALUE;

  /** Multiply-adds that one thread does faster than it finds help: some microseconds. */
  private static final long LEAST_SHARED = 200_000;

  private static final long SPIN_NS = 50_000;

  /** Spins from one look at the clock to the next, which costs as much as some of them. */
  private static final int SPINS_PER_LOOK = 64;

  /**
   * Spins of the engine thread before it offers its processor to a helper: a count, since one spin
   * lasts ten times as long on some processors as on others, and offering too early costs little.
   */
  private static final int SPINS_BEFORE_YIELD = 2_000;

  private static final long OPEN = 1L << 31;

  /**
   * Number of the task &lt;&lt; 32 | whether it may be joined | threads that have joined and not
   * left.
   */
  private final PaddedLong state = new PaddedLong();

  private final Helper[] helpers;

  /** The next piece that is not taken. */
  private final PaddedLong next = new PaddedLong();

  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private int count;
  private HostTask task = (worker, index) -> {};
  private volatile boolean closed;

  /**
   * Starts the threads.
   *
   * @param threads those that compute, the caller's included, >= 1
   */
  WorkerPool(int threads) {
    helpers = new Helper[threads - 1];
    for (int i = 0; i < helpers.length; i++) {
      helpers[i] = new Helper(i + 1);
    }
    for (Helper helper : helpers) {
      helper.thread.start();
    }
  }

  /** Threads that compute, the caller's included. */
  int workers() {
    return helpers.length + 1;
  }

  /**
   * Runs all pieces and returns when all are done. One thread at a time may call it.
   *
   * @param work multiply-adds of all pieces together, roughly: decides whether to share them
   * @throws RuntimeException the first that a piece threw; the others may not have run then
   */
  void forEach(int count, long work, HostTask task) {
    if (helpers.length == 0 || count < 2 || work < LEAST_SHARED) {
      for (int index = 0; index < count; index++) {
        task.run(0, index);
      }
      return;
    }
    this.task = task;
    this.count = count;
    next.set(0);
    final long number = (state.get() >>> 32) + 1;
    state.set(
        number << 32 | OPEN); // no thread is in the task before: all its fields may be changed
    for (Helper helper : helpers) {
      helper.wake();
    }
    takePieces(0);
    state.add(-OPEN);
    awaitHelpers();
    if (failure.get() != null) {
      rethrow(failure.getAndSet(null));
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // a helper may wait for this thread's processor
  private void awaitHelpers() {
    for (int spins = 0; (int) state.get() != 0; spins++) {
      if (spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private void takePieces(int worker) {
    try {
      for (long index = next.getAndIncrement(); index < count; index = next.getAndIncrement()) {
        task.run(worker, (int) index);
      }
    } catch (Throwable e) {
      next.set(count);
      failure.compareAndSet(null, e);
    }
  }

  private static void rethrow(@Nullable Throwable e) {
    switch (e) {
      case null -> {}
      case RuntimeException unchecked -> throw unchecked;
      case Error error -> throw error;
      default -> throw new IllegalStateException(e); // tasks declare none
    }
  }

  /** Ends the threads and waits for them; no task is under way. */
  @Override
  public void close() {
    closed = true;
    for (Helper helper : helpers) {
      LockSupport.unpark(helper.thread);
    }
    for (Helper helper : helpers) {
      Threads.awaitEnd(helper.thread);
    }
  }

  /** One of the threads beside the engine's. */
  private final class Helper implements Runnable {
    private final int worker;
    private final Thread thread;
    private volatile boolean asleep; // its own thread changes it, and only around a sleep

    Helper(int worker) {
      this.worker = worker;
      this.thread = Thread.ofPlatform().daemon().name("headway-vector-" + worker).unstarted(this);
    }

    @Override
    public void run() {
      long lastNumber = 0;
      long idleSinceNs = System.nanoTime();
      while (!closed) {
        final long seen = spin(lastNumber);
        if (isNew(seen, lastNumber)) {
          if (state.compareAndSet(seen, seen + 1)) {
            lastNumber = seen >>> 32;
            takePieces(worker);
            state.add(-1);
            idleSinceNs = System.nanoTime();
          }
        } else if (System.nanoTime() - idleSinceNs >= SPIN_NS) {
          sleep(lastNumber);
          idleSinceNs = System.nanoTime();
        }
      }
    }

    /** Waits a moment for a task that may be joined; returns the state. */
    private long spin(long lastNumber) {
      long seen = state.get();
      for (int i = 0; i < SPINS_PER_LOOK && !isNew(seen, lastNumber); i++) {
        Thread.onSpinWait();
        seen = state.get();
      }
      return seen;
    }

    private static boolean isNew(long seen, long lastNumber) {
      return (seen & OPEN) != 0 && seen >>> 32 != lastNumber;
    }

    /**
     * Says that it sleeps before it looks a last time, so that either it sees the task or is woken.
     */
    private void sleep(long lastNumber) {
      asleep = true;
      if (!isNew(state.get(), lastNumber) && !closed) {
        LockSupport.park(this);
      }
      asleep = false;
    }

    void wake() {
      if (asleep) {
        LockSupport.unpark(thread);
      }
    }
  }
}
