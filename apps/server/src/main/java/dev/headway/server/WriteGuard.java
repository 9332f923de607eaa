package dev.headway.server;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Ends writes to clients that take nothing for too long. An interrupt closes the channel on which a
 * thread is blocked, which is the only way to reach one below the JDK's server. A thread is
 * interrupted inside {@link #write} or not at all: it cannot leave while it is. Any thread.
 */
final class WriteGuard implements AutoCloseable {

  /** Something written to a client. */
  interface Write {
    void run() throws IOException;
  }

  private final long timeoutNs;
  private final Map<Thread, Long> writingSinceNs = new ConcurrentHashMap<>();
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("headway-write-guard").factory());

  WriteGuard(Duration timeout) {
    this.timeoutNs = timeout.toNanos();
    final long periodNs = Math.clamp(timeoutNs / 4, 1_000_000, 1_000_000_000);
    final var _ =
        watch.scheduleAtFixedRate(this::interruptStalled, periodNs, periodNs, TimeUnit.NANOSECONDS);
  }

  /**
   * Writes on this thread.
   *
   * @throws IOException if the client is gone or takes nothing for too long
   */
  void write(Write write) throws IOException {
    final Thread writer = Thread.currentThread();
    writingSinceNs.put(writer, System.nanoTime());
    try {
      write.run();
    } finally {
      writingSinceNs.remove(writer);
    }
  }

  private void interruptStalled() {
    writingSinceNs
        .keySet()
        .forEach(writer -> writingSinceNs.computeIfPresent(writer, this::interruptIfStalled));
  }

  /** The map holds back the writer's own removal for so long. */
  private Long interruptIfStalled(Thread writer, Long sinceNs) {
    if (System.nanoTime() - sinceNs > timeoutNs) {
      writer.interrupt();
    }
    return sinceNs;
  }

  @Override
  public void close() {
    watch.shutdownNow();
  }
}
