package dev.headway.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ThreadsTest {

  @Test
  void shouldWaitOnWhenInterruptedAndStayInterrupted() {
    final Thread caller = Thread.currentThread();
    caller.interrupt();
    final Thread thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (caller.isInterrupted()) { // the wait takes the interrupt, and goes on
                    Thread.onSpinWait();
                  }
                });

    Threads.awaitEnd(thread);

    assertThat(thread.isAlive()).isFalse();
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void shouldReturnAtOnceForAThreadThatNeverStarted() {
    Threads.awaitEnd(Thread.ofPlatform().unstarted(() -> {}));

    assertThat(Thread.interrupted()).isFalse();
  }
}
