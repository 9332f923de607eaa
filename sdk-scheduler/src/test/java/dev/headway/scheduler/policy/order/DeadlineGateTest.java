package dev.headway.scheduler.policy.order;

import static dev.headway.scheduler.policy.order.Orders.asking;
import static dev.headway.scheduler.policy.order.Orders.ranked;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.AdmissionGate.Verdict;
import dev.headway.api.request.RequestStatus;
import dev.headway.scheduler.policy.order.AttainableGate.Unattainable;
import dev.headway.scheduler.policy.tokens.LinearStepTime;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.SampleStep;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Steps take 1 ms and 100 us per prompt token; a step has 128 tokens. */
class DeadlineGateTest {

  private final AttainableGate gate = new AttainableGate(Unattainable.REJECT);

  @Test
  void shouldAdmitWhoCanJustBeInTime() {
    // 300 tokens: 13.8 + 13.8 + 5.4 ms
    assertThat(gate.admit(target(0, 300, 33), step(0).build())).isEqualTo(Verdict.ADMIT);
    assertThat(gate.admit(target(1, 300, 32), step(0).build())).isEqualTo(Verdict.REJECT);
  }

  @Test
  void shouldCountTheTimeThatHasPassed() {
    assertThat(gate.admit(target(0, 300, 33), step(1_000_000).build())).isEqualTo(Verdict.REJECT);
  }

  @Test
  void shouldCountOnlyWhatIsNotCached() {
    final FakeRequest cached =
        FakeRequest.of(0, asking(0, 1, 300).ttftTarget(Duration.ofMillis(11)).build())
            .cachedPrefixTokens(200);

    assertThat(gate.admit(cached, step(0).build())).isEqualTo(Verdict.ADMIT);
  }

  @Test
  void shouldAdmitWhoHasNoDeadlineOrHadItsFirstToken() {
    final FakeRequest none = FakeRequest.of(0, asking(0, 1, 300).build());
    final FakeRequest preempted =
        FakeRequest.of(1, asking(1, 1, 300).ttftTarget(Duration.ofMillis(1)).build())
            .outputTokens(1);

    assertThat(gate.admit(none, step(0).build())).isEqualTo(Verdict.ADMIT);
    assertThat(gate.admit(preempted, step(0).build())).isEqualTo(Verdict.ADMIT);
  }

  @Test
  void shouldAdmitEverybodyWhileNothingIsKnown() {
    assertThat(gate.admit(target(0, 300, 1), Orders.step().nowNs(0).build()))
        .isEqualTo(Verdict.ADMIT);
  }

  @Test
  void shouldDeferOnlyWhileSomebodyRuns() {
    final AttainableGate deferring = new AttainableGate(Unattainable.DEFER);
    final FakeRequest running = FakeRequest.numbered(9, 10, 10).status(RequestStatus.RUNNING);

    assertThat(deferring.admit(target(0, 300, 1), step(0).running(running).build()))
        .isEqualTo(Verdict.DEFER);
    assertThat(deferring.admit(target(0, 300, 1), step(0).build())).isEqualTo(Verdict.ADMIT);
  }

  @Test
  void shouldPutLongPromptsBeforeShortOnesThatAreDueALittleEarlier() {
    final LeastSlack given = new LeastSlack(128, 60_000_000_000L);
    final FakeRequest longPrompt = target(0, 500, 100);
    final FakeRequest shortPrompt = target(1, 10, 90);

    assertThat(ranked(given, step(0).build(), shortPrompt, longPrompt)).containsExactly(0L, 1L);
    assertThat(ranked(given, Orders.step().build(), shortPrompt, longPrompt))
        .containsExactly(1L, 0L);
  }

  private static SampleStep.Builder step(long nowNs) {
    return Orders.step().nowNs(nowNs).stepTime(LinearStepTime.fixed(1_000, 100, 0, 0));
  }

  private static FakeRequest target(long number, int promptTokens, int ms) {
    return FakeRequest.of(
        number, asking(number, 1, promptTokens).ttftTarget(Duration.ofMillis(ms)).build());
  }
}
