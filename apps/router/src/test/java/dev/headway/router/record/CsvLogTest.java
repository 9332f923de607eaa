package dev.headway.router.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What happens to attempts while their file takes none. */
class CsvLogTest {

  @Test
  void shouldLeaveOutAndCountWhatTheQueueHasNoRoomFor() throws Exception {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch goesOn = new CountDownLatch(1);
    final AtomicInteger written = new AtomicInteger();
    final CsvLog given =
        new CsvLog(
            (PrintOnly)
                attempt -> {
                  begun.countDown();
                  await(goesOn);
                  written.incrementAndGet();
                });
    final Attempt attempt = SampleAttempts.completed("r1", 0);

    given.onAttempt(attempt);
    begun.await();
    for (int i = 0; i < CsvLog.QUEUE + 10; i++) {
      given.onAttempt(attempt);
    }
    goesOn.countDown();
    given.close();

    assertThat(given.dropped()).isEqualTo(10);
    assertThat(written).hasValue(1 + CsvLog.QUEUE);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldGoOnWithoutItsFileWhenTheDiskIsFull() throws Exception {
    final CountDownLatch failed = new CountDownLatch(1);
    final CsvLog given =
        new CsvLog(
            (PrintOnly)
                attempt -> {
                  failed.countDown();
                  throw new IOException("no space left on device");
                });
    final Attempt attempt = SampleAttempts.completed("r1", 0);

    given.onAttempt(attempt);
    failed.await();
    given.onAttempt(attempt);

    assertThatThrownBy(given::close)
        .isInstanceOf(IOException.class)
        .hasMessage("no space left on device");
    assertThat(given.dropped()).isBetween(1L, 2L);
  }

  /** A file without a buffer. */
  @FunctionalInterface
  private interface PrintOnly extends CsvLog.Rows {
    @Override
    default void flush() {}

    @Override
    default void close() {}
  }
}
