package dev.headway.simulation.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** The same work on many things, on several threads, with the results in order. Stateless. */
final class ParallelWork {

  private ParallelWork() {}

  /**
   * Waits until all is done; the first failure, in the order of the things, is thrown on.
   *
   * @param onDone called on the caller's thread for each result
   */
  static <A, T> List<T> each(List<A> things, Function<A, T> work, int threads, Runnable onDone)
      throws InterruptedException {
    final ExecutorService pool =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().name("plan-", 1).daemon().factory());
    try {
      final List<Future<T>> coming = new ArrayList<>();
      for (A thing : things) {
        coming.add(pool.submit(() -> work.apply(thing)));
      }
      final List<T> results = new ArrayList<>();
      for (Future<T> each : coming) {
        results.add(each.get());
        onDone.run();
      }
      return results;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }
}
