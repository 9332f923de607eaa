package dev.headway.routing.zmq;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A thread that sends what another one offers. {@link #offer} is for one thread, never blocks and
 * makes no system call; {@link #close} sends what is queued.
 *
 * @param <T> what is offered
 */
public final class SendingThread<T> implements AutoCloseable {

  private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(500);

  private final ArrayBlockingQueue<T> queue;
  private final Consumer<T> send;
  private final Runnable whenIdle;
  private final Thread thread;
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean closed;

  /**
   * Makes a thread that is not started.
   *
   * @param name of the thread
   * @param capacity how many may wait to be sent, at least 1
   * @param send sends one; on the thread
   * @param whenIdle called on the thread about every 0.5 ms while there is nothing to send
   */
  public SendingThread(String name, int capacity, Consumer<T> send, Runnable whenIdle) {
    queue = new ArrayBlockingQueue<>(capacity);
    this.send = send;
    this.whenIdle = whenIdle;
    thread = Thread.ofPlatform().daemon().name(name).unstarted(this::sendAll);
  }

  /** Starts to send. */
  public void start() {
    thread.start();
  }

  /** Queues what is to be sent; returns whether there was room, or else it is counted and lost. */
  public boolean offer(T next) {
    final boolean taken = queue.offer(next);
    if (!taken) {
      dropped.incrementAndGet();
    }
    return taken;
  }

  /** How many were lost because too many were waiting. Any thread. */
  public long dropped() {
    return dropped.get();
  }

  private void sendAll() {
    while (true) {
      final boolean last = closed;
      final T next = queue.poll();
      if (next != null) {
        send.accept(next);
      } else if (last) {
        return;
      } else {
        whenIdle.run();
        LockSupport.parkNanos(IDLE_NS);
      }
    }
  }

  /** Sends what is queued, for 5 s at most. */
  @Override
  public void close() {
    closed = true;
    ThreadEnd.await(thread);
  }
}
