package dev.headway.cuda.executor;

import dev.headway.api.internal.Threads;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that talks to the device. Another thread, always the same at a time, posts what is
 * to be done; it is done in order. Posting and waiting allocate nothing.
 *
 * <p>A thread that is parked takes tens of microseconds to go on. So both spin for up to {@code
 * spinNs} when the other is about to have something for them: this one behind each piece of work,
 * since the next step comes soon; the one that waits for a step about when the wait before this one
 * ended.
 */
final class DeviceThread implements AutoCloseable {
  private static final int CAPACITY = 16; // two for each step in flight, opening and closing

  /** What a thread waits for. */
  interface Awaited {
    /** Whether it is there; any thread. */
    boolean isAnswered();

    /** The step's number, for messages. */
    long stepId();
  }

  private final long spinNs;
  private final Runnable[] work = new Runnable[CAPACITY];
  private final Thread thread;
  private final AtomicLong posted = new AtomicLong(); // written by the posting thread
  private final AtomicLong done = new AtomicLong(); // written by the thread
  private volatile Thread poster = Thread.currentThread();
  private volatile boolean stopped;
  private long lastWaitNs; // the posting thread's

  /**
   * Starts the thread.
   *
   * @param spinNs longest that a thread spins at a time; 0 = never
   */
  DeviceThread(String name, long spinNs) {
    this.spinNs = spinNs;
    thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Puts something into the queue; it must not throw. */
  void post(Runnable task) {
    final long next = posted.get();
    if (next - done.get() >= CAPACITY) {
      throw new IllegalStateException("too much is posted: capacity=" + CAPACITY);
    }
    poster = Thread.currentThread();
    work[(int) (next % CAPACITY)] = task;
    posted.set(next + 1); // publishes the task
    LockSupport.unpark(thread);
  }

  /**
   * Waits until a step is answered.
   *
   * @return false if the time passed before
   * @throws InterruptedException if the thread was interrupted
   */
  boolean await(Awaited step, long timeoutNs) throws InterruptedException {
    poster = Thread.currentThread();
    final long beginNs = System.nanoTime();
    final long expectedNs = lastWaitNs;
    while (!step.isAnswered()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while step " + step.stepId() + " was out");
      }
      final long waitedNs = System.nanoTime() - beginNs;
      final long leftNs = timeoutNs - waitedNs;
      if (leftNs <= 0) {
        return false;
      }
      final long spinsFromNs = expectedNs - spinNs / 2;
      if (waitedNs < spinsFromNs) {
        LockSupport.parkNanos(this, Math.min(leftNs, spinsFromNs - waitedNs));
      } else if (waitedNs < spinsFromNs + spinNs) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(this, leftNs);
      }
    }
    lastWaitNs = System.nanoTime() - beginNs;
    return true;
  }

  private void run() {
    for (long next = 0; ; next++) {
      awaitPost(next);
      if (posted.get() == next) {
        return; // stopped
      }
      work[(int) (next % CAPACITY)].run();
      done.set(next + 1);
      LockSupport.unpark(poster);
    }
  }

  private void awaitPost(long next) {
    final long beginNs = System.nanoTime();
    while (posted.get() == next && !stopped) {
      if (System.nanoTime() - beginNs < spinNs) {
        Thread.onSpinWait();
      } else {
        LockSupport.park(this);
      }
    }
  }

  /** Lets what is posted be done, then ends the thread and waits for it. */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    Threads.awaitEnd(thread); // the device must be given back even if we are interrupted
  }
}
