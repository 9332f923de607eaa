package dev.headway.cuda.executor;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread that talks to the device. Another thread, always the same at a time, posts what is
 * to be done; it is done in order. Posting and waiting allocate nothing.
 */
final class DeviceThread implements AutoCloseable {
  private static final int CAPACITY = 16; // two for each step in flight, opening and closing

  private final Runnable[] work = new Runnable[CAPACITY];
  private final Thread thread;
  private final AtomicLong posted = new AtomicLong(); // written by the posting thread
  private final AtomicLong done = new AtomicLong(); // written by the thread
  private volatile Thread poster = Thread.currentThread();
  private volatile boolean stopped;

  DeviceThread(String name) {
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
  boolean await(Step step, long timeoutNs) throws InterruptedException {
    poster = Thread.currentThread();
    final long beginNs = System.nanoTime();
    while (!step.isAnswered()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while step " + step.stepId() + " was out");
      }
      final long leftNs = timeoutNs - (System.nanoTime() - beginNs);
      if (leftNs <= 0) {
        return false;
      }
      LockSupport.parkNanos(this, leftNs);
    }
    return true;
  }

  private void run() {
    for (long next = 0; ; next++) {
      while (posted.get() == next) {
        if (stopped) {
          return;
        }
        LockSupport.park(this);
      }
      work[(int) (next % CAPACITY)].run();
      done.set(next + 1);
      LockSupport.unpark(poster);
    }
  }

  /** Lets what is posted be done, then ends the thread and waits for it. */
  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(thread);
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true; // the device must be given back all the same
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
