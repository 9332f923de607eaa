package dev.headway.serving.chat;

import dev.headway.serving.chat.ChatTemplateException.Kind;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Threads that run a template, each in a scope of its own: as many as there are processors. They
 * are threads of the system, since a virtual one that computes holds up the others. Who finds none
 * free waits in turn, and not for long. Any thread.
 */
final class TemplateWorkers {

  /** A template in a scope. */
  interface Scope {
    /**
     * Writes a prompt.
     *
     * @throws ChatTemplateException if there is none
     */
    String render(String variables);
  }

  private static final int MAX_WORKERS = 8;

  private final Duration longestWait;
  private final Supplier<Scope> scopes;
  private final Queue<Scope> free = new ConcurrentLinkedQueue<>();
  private final Semaphore turns;
  private final ExecutorService threads;

  /**
   * Makes workers.
   *
   * @param first a scope that is there
   * @param scopes makes more when they are needed, which takes about a second each
   */
  TemplateWorkers(Duration longestWait, Scope first, Supplier<Scope> scopes) {
    this.longestWait = longestWait;
    this.scopes = scopes;
    free.add(first);
    final int workers = mostAtOnce();
    turns = new Semaphore(workers, true);
    threads =
        Executors.newFixedThreadPool(
            workers, Thread.ofPlatform().daemon().name("headway-template-", 0).factory());
  }

  /** How many run at a time. */
  static int mostAtOnce() {
    return Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_WORKERS);
  }

  /**
   * Writes a prompt.
   *
   * @throws ChatTemplateException if there is none, or no worker in time
   */
  String render(String variables) {
    try {
      if (!turns.tryAcquire(longestWait.toNanos(), TimeUnit.NANOSECONDS)) {
        throw new ChatTemplateException(
            Kind.BUSY,
            "the chat template must be free within "
                + longestWait.toMillis()
                + " ms, and is being run for other requests");
      }
      try {
        return threads.submit(() -> renderHere(variables)).get();
      } finally {
        turns.release();
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof ChatTemplateException reason) {
        throw reason;
      }
      throw new IllegalStateException("the chat template could not be run", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ChatTemplateException(Kind.BUSY, "the server is stopping");
    }
  }

  private String renderHere(String variables) {
    final Scope known = free.poll();
    final Scope scope = known == null ? scopes.get() : known;
    try {
      return scope.render(variables);
    } finally {
      free.add(scope);
    }
  }
}
