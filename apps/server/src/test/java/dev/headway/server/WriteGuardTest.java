package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whom the guard interrupts, and when. */
@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteGuardTest {

  @Test
  void shouldNotInterruptAWriterThatHasLeft() throws InterruptedException {
    try (WriteGuard guard = new WriteGuard(Duration.ofMillis(4))) {
      final Writer writer = new Writer(guard);

      writer.start();
      writer.join();

      assertThat(writer.interruptions).isPositive();
      assertThat(writer.leftMeanwhile).isFalse();
    }
  }

  @Test
  void shouldLeaveAWriterAloneThatIsInTime() throws IOException {
    try (WriteGuard guard = new WriteGuard(Duration.ofHours(1))) {
      guard.write(() -> Thread.onSpinWait());

      assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
  }

  /** Ends its write in the moment in which the guard has decided to interrupt it. */
  private static final class Writer extends Thread {

    private static final long LONG_ENOUGH_TO_LEAVE_MS = 200;

    private final WriteGuard guard;
    private final CountDownLatch decided = new CountDownLatch(1);
    private final CountDownLatch left = new CountDownLatch(1);
    private volatile int interruptions;
    private volatile boolean leftMeanwhile;

    Writer(WriteGuard guard) {
      this.guard = guard;
    }

    @Override
    public void run() {
      try {
        guard.write(this::untilDecided);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      left.countDown();
    }

    private void untilDecided() {
      try {
        decided.await();
      } catch (InterruptedException e) {
        throw new AssertionError("the guard interrupts once it has said so", e);
      }
    }

    @Override
    public void interrupt() {
      decided.countDown();
      try {
        leftMeanwhile |= left.await(LONG_ENOUGH_TO_LEAVE_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      interruptions++;
      super.interrupt();
    }
  }
}
