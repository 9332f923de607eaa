package dev.headway.scheduler.policy.order;

import static dev.headway.scheduler.policy.order.Orders.asking;
import static dev.headway.scheduler.policy.order.Orders.ranked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.testkit.FakeRequest;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class StaticOrdersTest {

  @Test
  void shouldGoByArrival() {
    assertThat(ranked(new Fcfs(), request(2, 1, 1), request(0, 9, 9), request(1, 5, 5)))
        .containsExactly(0L, 1L, 2L);
  }

  @Test
  void shouldGoByPriorityThenByArrival() {
    assertThat(ranked(new ByPriority(), priority(0, 2), priority(1, 1), priority(2, 1)))
        .containsExactly(1L, 2L, 0L);
  }

  @Test
  void shouldTakeTheLongestOutputFirst() {
    assertThat(ranked(new LongestOutput(), request(0, 9, 5), request(1, 9, 50)))
        .containsExactly(1L, 0L);
  }

  @Test
  void shouldShuffleTheSameWayForTheSameSeed() {
    final FakeRequest[] requests =
        LongStream.range(0, 50).mapToObj(n -> request(n, 1, 1)).toArray(FakeRequest[]::new);

    assertThat(ranked(new RandomOrder(1), requests))
        .isEqualTo(ranked(new RandomOrder(1), requests))
        .isNotEqualTo(ranked(new RandomOrder(2), requests))
        .isNotEqualTo(ranked(new Fcfs(), requests));
  }

  @Test
  void shouldTakeTheShortestJobFirst() {
    assertThat(
            ranked(
                new ShortestJob(2, 0), request(0, 10, 20), request(1, 30, 5), request(2, 20, 14)))
        .containsExactly(1L, 2L, 0L);
  }

  @Test
  void shouldCountOutputsThatAreThereAsTokensToCompute() {
    final FakeRequest preempted = FakeRequest.numbered(0, 10, 100).outputTokens(90).preemptions(1);

    assertThat(new ShortestJob(2, 0).key(preempted)).isEqualTo(100 + 2 * 10);
  }

  @Test
  void shouldNotLetALaterJobPassOnceWaitingMakesUpForTheLength() {
    final ShortestJob given = new ShortestJob(1, 1_000);
    final FakeRequest old = FakeRequest.numbered(0, 90, 10);
    final FakeRequest justInTime = FakeRequest.numbered(1, 1, 1).arrived(97_000_000, 97_000_000);
    final FakeRequest tooLate = FakeRequest.numbered(2, 1, 1).arrived(99_000_000, 99_000_000);

    assertThat(ranked(given, old, justInTime, tooLate)).containsExactly(1L, 0L, 2L);
  }

  @Test
  void shouldTakeTheEarliestDeadlineFirst() {
    final FakeRequest byDefault = request(0, 1, 1);
    final FakeRequest relaxed = target(1, 900);
    final FakeRequest urgent = target(2, 100);

    assertThat(ranked(new EarliestDeadline(500_000_000), byDefault, relaxed, urgent))
        .containsExactly(2L, 0L, 1L);
  }

  @Test
  void shouldTakeTheTimeoutForADeadlineIfItIsEarlier() {
    final FakeRequest request =
        FakeRequest.of(
                0,
                asking(0, 1, 5)
                    .ttftTarget(Duration.ofMillis(10))
                    .timeout(Duration.ofMillis(3))
                    .build())
            .arrived(7, 7);

    assertThat(new EarliestDeadline(1).key(request)).isEqualTo(3_000_007);
  }

  private static FakeRequest request(long number, int promptTokens, int maxTokens) {
    return FakeRequest.numbered(number, promptTokens, maxTokens);
  }

  private static FakeRequest priority(long number, int priority) {
    return FakeRequest.of(number, asking(number, 1, 1).priority(priority).build());
  }

  private static FakeRequest target(long number, int ms) {
    return FakeRequest.of(number, asking(number, 1, 1).ttftTarget(Duration.ofMillis(ms)).build());
  }
}
