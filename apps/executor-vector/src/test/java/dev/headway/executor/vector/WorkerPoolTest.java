package dev.headway.executor.vector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class WorkerPoolTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void shouldDoEveryPieceOnceAndBeDoneWhenItReturns(int threads) {
    try (WorkerPool pool = new WorkerPool(threads)) {
      for (int task = 0; task < 5_000; task++) {
        final int pieces = task % 7;
        final int[] done = new int[pieces]; // plain: returning must publish what was written
        pool.forEach(pieces, WorkerPool.ALWAYS_SHARED, (worker, index) -> done[index]++);

        for (int piece = 0; piece < pieces; piece++) {
          assertThat(done[piece]).as("task=%d, piece=%d", task, piece).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void shouldShareAndGiveEachWorkerItsOwnNumber() throws InterruptedException {
    try (WorkerPool pool = new WorkerPool(3)) {
      final AtomicIntegerArray inside = new AtomicIntegerArray(3);
      final CountDownLatch all = new CountDownLatch(3);

      // a piece returns when all three workers have one: each must have come, under its own number
      pool.forEach(
          3,
          WorkerPool.ALWAYS_SHARED,
          (worker, index) -> {
            inside.incrementAndGet(worker);
            all.countDown();
            awaitAll(all);
          });

      assertThat(inside.toString()).isEqualTo("[1, 1, 1]");
    }
  }

  private static void awaitAll(CountDownLatch all) {
    try {
      if (!all.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("not shared: missing=" + all.getCount());
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldWakeThreadsThatSleep() throws InterruptedException {
    try (WorkerPool pool = new WorkerPool(2)) {
      for (int i = 0; i < 3; i++) {
        awaitSleep();
        shouldShare(pool);
      }
    }
  }

  private static void shouldShare(WorkerPool pool) {
    final CountDownLatch both = new CountDownLatch(2);
    pool.forEach(
        2,
        WorkerPool.ALWAYS_SHARED,
        (worker, index) -> {
          both.countDown();
          awaitAll(both);
        });
  }

  private static void awaitSleep() {
    while (Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("headway-vector-1"))
        .noneMatch(thread -> thread.getState() == Thread.State.WAITING)) {
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldThrowWhatAPieceThrewAndGoOn(int threads) {
    try (WorkerPool pool = new WorkerPool(threads)) {
      for (int i = 0; i < 200; i++) {
        assertThatThrownBy(
                () ->
                    pool.forEach(
                        8,
                        WorkerPool.ALWAYS_SHARED,
                        (worker, index) -> {
                          if (index == 5) {
                            throw new ArithmeticException("piece=" + index);
                          }
                        }))
            .isInstanceOf(ArithmeticException.class)
            .hasMessage("piece=5");
        final int[] done = new int[4];
        pool.forEach(4, WorkerPool.ALWAYS_SHARED, (worker, index) -> done[index]++);
        assertThat(done).containsOnly(1);
      }
    }
  }

  @Test
  void shouldKeepSmallTasksOnTheCallersThread() {
    try (WorkerPool pool = new WorkerPool(2)) {
      final Thread caller = Thread.currentThread();
      pool.forEach(50, 1, (worker, index) -> assertThat(Thread.currentThread()).isSameAs(caller));
    }
  }
}
