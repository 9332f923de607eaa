package dev.headway.events.live;

import dev.headway.events.record.RecordCursor;
import dev.headway.events.record.RecordDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumers' side of a {@link RecordRing}: a thread that passes every record to each of them.
 * One that throws is detached and closed at the end; the others continue.
 */
final class Relay implements Runnable, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long FLUSH_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_MS = TimeUnit.SECONDS.toMillis(60);
  private static final int BATCH = 256;

  /** A question is asked of all that was written before it, unless that does not end. */
  private static final int MOST_BATCHES_BEFORE_ANSWER = 64;

  private final RecordRing ring;
  private final List<RecordConsumer> all;
  private final List<Listening> listening = new ArrayList<>();
  private final RecordCursor cursor = new RecordCursor();
  private final AtomicLong failed = new AtomicLong();
  private final Thread thread;
  private final Queue<Runnable> questions = new ConcurrentLinkedQueue<>();
  private final Object beforeAndAfter = new Object();
  private volatile boolean isConsuming = true;
  private volatile boolean isEnding;
  private volatile boolean isOver;
  private boolean isStarted;
  private long records;

  Relay(RecordRing ring, List<? extends RecordConsumer> consumers, ThreadFactory threads) {
    this.ring = ring;
    this.all = List.copyOf(consumers);
    for (RecordConsumer consumer : all) {
      listening.add(new Listening(consumer, new RecordDecoder(cursor)));
    }
    this.thread = threads.newThread(this);
  }

  /** An attached consumer and its state of the run. */
  private record Listening(RecordConsumer consumer, RecordDecoder decoder) {}

  /** A call to a consumer, which may throw. */
  @FunctionalInterface
  private interface Action {
    void on(Listening one) throws Exception;
  }

  /** Whether any consumer is attached. Any thread. */
  boolean isConsuming() {
    return isConsuming;
  }

  /** Consumers detached because they threw. Any thread. */
  long failedConsumers() {
    return failed.get();
  }

  void start() {
    synchronized (beforeAndAfter) {
      thread.start();
      isStarted = true;
    }
  }

  /**
   * Runs a question between two records, on the thread that passes them; before and after the run
   * on the caller's, when no records are passed. Any thread.
   */
  void ask(Runnable question) {
    synchronized (beforeAndAfter) {
      if (!isStarted) {
        question.run();
        return;
      }
    }
    questions.add(question);
    if (isOver) {
      answerAll(); // its last look may have been before
    } else {
      LockSupport.unpark(thread);
    }
  }

  private void answerAll() {
    synchronized (beforeAndAfter) {
      for (Runnable next = questions.poll(); next != null; next = questions.poll()) {
        next.run();
      }
    }
  }

  @Override
  public void run() {
    try {
      relay();
    } finally {
      isConsuming = false;
      closeAll();
      isOver = true;
      answerAll();
    }
  }

  private void relay() {
    long flushedNs = System.nanoTime();
    boolean isDirty = false;
    int batchesBeforeAnswer = 0;
    while (!listening.isEmpty()) {
      final boolean mayEnd = isEnding; // read first: all that was written before is seen then
      final boolean isAsked = !questions.isEmpty(); // likewise
      final boolean any = relayBatch();
      if (isAsked && (!any || ++batchesBeforeAnswer >= MOST_BATCHES_BEFORE_ANSWER)) {
        answerAll();
        batchesBeforeAnswer = 0;
      }
      isDirty |= any;
      if (isDirty && System.nanoTime() - flushedNs >= FLUSH_NS) {
        flushAll();
        flushedNs = System.nanoTime();
        isDirty = false;
      }
      if (!any) {
        if (mayEnd) {
          flushAll();
          return;
        }
        LockSupport.parkNanos(this, REST_NS);
      }
    }
  }

  private void flushAll() {
    each(one -> one.consumer().flush(records));
  }

  private boolean relayBatch() {
    int count = 0;
    while (count < BATCH && ring.next(cursor)) {
      each(one -> one.decoder().decode(cursor, one.consumer().visitor()));
      count++;
    }
    if (count > 0) {
      records += count;
      ring.release();
    }
    return count > 0;
  }

  /** Calls every attached consumer and detaches those that throw. */
  private void each(Action action) {
    for (int i = 0; i < listening.size(); i++) {
      final Listening one = listening.get(i);
      try {
        action.on(one);
      } catch (Throwable t) {
        listening.remove(i--);
        isConsuming = !listening.isEmpty();
        failed.incrementAndGet();
        LOG.error(
            "consumer {} threw and gets no more records; scheduling goes on",
            one.consumer().getClass().getName(),
            t);
      }
    }
  }

  private void closeAll() {
    for (RecordConsumer consumer : all) {
      final @Nullable Throwable failure = close(consumer);
      if (failure != null) {
        failed.incrementAndGet();
        LOG.error("consumer {} failed to close", consumer.getClass().getName(), failure);
      }
    }
  }

  private static @Nullable Throwable close(RecordConsumer consumer) {
    try {
      consumer.close();
      return null;
    } catch (Throwable t) {
      return t;
    }
  }

  /** Waits until the consumers have processed all written records and are closed. */
  @Override
  public void close() {
    isEnding = true;
    if (!isStarted) {
      closeAll();
      return;
    }
    LockSupport.unpark(thread);
    boolean interrupted = false;
    final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MS);
    while (thread.isAlive()) {
      final long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
      if (leftMs <= 0) {
        LOG.error("consumers did not end within {} ms and are left behind", CLOSE_MS);
        break;
      }
      try {
        thread.join(leftMs);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
