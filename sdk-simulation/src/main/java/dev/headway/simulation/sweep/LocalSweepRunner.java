package dev.headway.simulation.sweep;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Runs cells on threads of this JVM. Memory is bounded: at most {@value #AHEAD_PER_THREAD} cells
 * per thread are done or begun ahead of the one whose rows are next.
 */
public final class LocalSweepRunner implements SweepRunner {

  private static final int AHEAD_PER_THREAD = 64;

  private final IntFunction<List<SweepRow>> cells;
  private final int threads;

  /**
   * Makes a runner.
   *
   * @param cells runs a cell by its number, as {@link SweepCells#rows} does
   * @param threads how many cells run at once, >= 1
   */
  public LocalSweepRunner(IntFunction<List<SweepRow>> cells, int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be >= 1: threads=" + threads);
    }
    this.cells = cells;
    this.threads = threads;
  }

  @Override
  public void run(int[] numbers, RowSink sink) throws IOException, InterruptedException {
    final ExecutorService pool =
        Executors.newFixedThreadPool(
            threads, Thread.ofPlatform().name("sweep-", 1).daemon().factory());
    try {
      final Queue<Future<List<SweepRow>>> ahead = new ArrayDeque<>();
      for (int number : numbers) {
        if (ahead.size() == threads * AHEAD_PER_THREAD) {
          sink.accept(take(ahead.remove()));
        }
        ahead.add(pool.submit(() -> cells.apply(number)));
      }
      while (!ahead.isEmpty()) {
        sink.accept(take(ahead.remove()));
      }
    } finally {
      pool.shutdownNow();
      // cells in flight hold files and memory; they end by themselves, and nothing waits for them
      // longer than this
      pool.awaitTermination(1, TimeUnit.SECONDS);
    }
  }

  private static List<SweepRow> take(Future<List<SweepRow>> rows) throws InterruptedException {
    try {
      return rows.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a cell must end with a row, whatever it meets", e);
    }
  }
}
