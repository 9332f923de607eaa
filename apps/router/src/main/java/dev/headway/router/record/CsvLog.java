package dev.headway.router.record;

import java.io.Closeable;
import java.io.Flushable;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes attempts to a file on a thread of its own. Any thread may add to it. If writing falls
 * behind, attempts are left out and counted, and requests go on.
 */
final class CsvLog implements AttemptFile {

  /** Attempts that wait to be written; each holds its prompt. */
  static final int QUEUE = 1 << 13;

  private static final long IDLE_MS = 50;

  private final BlockingQueue<Attempt> queue = new ArrayBlockingQueue<>(QUEUE);
  private final AtomicLong dropped = new AtomicLong();
  private final Rows rows;
  private final Thread writer;
  private volatile boolean isClosed;
  private volatile @Nullable IOException failure;

  /** The file. One thread. */
  interface Rows extends Flushable, Closeable {

    /** Writes the rows of an attempt. */
    void print(Attempt attempt) throws IOException;
  }

  /** Begins to write to {@code rows}, which is closed with this. */
  CsvLog(Rows rows) {
    this.rows = rows;
    writer = Thread.ofPlatform().name("headway-route-csv").daemon().start(this::write);
  }

  @Override
  public void onAttempt(Attempt attempt) {
    if (failure != null || !queue.offer(attempt)) {
      dropped.incrementAndGet();
    }
  }

  @Override
  public long dropped() {
    return dropped.get();
  }

  private void write() {
    try {
      while (!isClosed || !queue.isEmpty()) {
        final Attempt next = queue.poll(IDLE_MS, TimeUnit.MILLISECONDS);
        if (next == null) {
          rows.flush();
        } else {
          rows.print(next);
        }
      }
    } catch (IOException e) {
      failure = e;
      dropped.addAndGet(1L + queue.size());
      queue.clear();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    isClosed = true;
    try {
      writer.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    final IOException earlier = failure;
    try {
      rows.close();
    } catch (IOException e) {
      if (earlier == null) {
        throw e;
      }
    }
    if (earlier != null) {
      throw earlier;
    }
  }
}
