package dev.headway.probes.chronicle;

import dev.headway.api.internal.Threads;
import java.util.concurrent.locks.LockSupport;

/** Does a duty on a daemon thread of its own. */
final class WorkerThread implements Worker {

  private final Duty duty;
  private final Thread thread;
  private volatile boolean closed;

  WorkerThread(String name, Duty duty) {
    this.duty = duty;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  @Override
  public void start() {
    thread.start();
  }

  @Override
  public void wake() {
    LockSupport.unpark(thread);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    Threads.awaitEnd(thread);
  }

  private void run() {
    while (!closed) {
      final long waitNs = duty.work();
      if (waitNs == Duty.UNTIL_WOKEN) {
        LockSupport.park(this);
      } else if (waitNs > 0) {
        LockSupport.parkNanos(this, waitNs);
      }
    }
  }
}
