package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that one thread hands to another, whether they spin for each other or not. */
@Timeout(60)
class DeviceThreadTest {
  private static final long LONG_NS = 50_000_000_000L;

  /** Never, for less than a task takes, for longer than any wait. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, 20_000_000_000L})
  void shouldDoWhatIsPostedInOrder(long spinNs) throws InterruptedException {
    final List<Integer> done = new ArrayList<>();
    try (DeviceThread thread = new DeviceThread("test", spinNs)) {
      for (int i = 0; i < 2_000; i++) {
        final Answer answer = new Answer(i);
        thread.post(() -> done.add(answer.number));
        thread.post(answer::give);

        assertThat(thread.await(answer, LONG_NS)).isTrue();
      }
    }
    assertThat(done).isEqualTo(IntStream.range(0, 2_000).boxed().toList());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000, 20_000_000_000L})
  void shouldStopWaitingWhenTheTimeIsOver(long spinNs) throws InterruptedException {
    final CountDownLatch held = new CountDownLatch(1);
    final Answer answer = new Answer(1);
    try (DeviceThread thread = new DeviceThread("test", spinNs)) {
      thread.post(() -> await(held));
      thread.post(answer::give);

      assertThat(thread.await(answer, 2_000_000)).isFalse();
      held.countDown();
      assertThat(thread.await(answer, LONG_NS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 20_000_000_000L})
  void shouldStopWaitingWhenInterrupted(long spinNs) {
    final CountDownLatch held = new CountDownLatch(1);
    try (DeviceThread thread = new DeviceThread("test", spinNs)) {
      thread.post(() -> await(held));
      Thread.currentThread().interrupt();

      assertThatThrownBy(() -> thread.await(new Answer(7), LONG_NS))
          .isInstanceOf(InterruptedException.class)
          .hasMessage("interrupted while step 7 was out");
      held.countDown();
    }
  }

  @Test
  void shouldRefuseMoreThanItsQueueHolds() {
    final CountDownLatch held = new CountDownLatch(1);
    try (DeviceThread thread = new DeviceThread("test", 0)) {
      for (int i = 0; i < 16; i++) {
        thread.post(() -> await(held));
      }

      assertThatThrownBy(() -> thread.post(() -> {})).hasMessageContaining("capacity=16");
      held.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Answer implements DeviceThread.Awaited {
    final int number;
    private volatile boolean answered;

    Answer(int number) {
      this.number = number;
    }

    void give() {
      answered = true;
    }

    @Override
    public boolean isAnswered() {
      return answered;
    }

    @Override
    public long stepId() {
      return number;
    }
  }
}
