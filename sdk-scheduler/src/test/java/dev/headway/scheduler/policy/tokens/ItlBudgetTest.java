package dev.headway.scheduler.policy.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.request.RequestStatus;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleStep;
import org.junit.jupiter.api.Test;

class ItlBudgetTest {

  /** 1 ms, 100 us per prompt token, 10 us per decode, 1 us per context token. */
  private static final StepTimeModel MODEL = LinearStepTime.fixed(1_000, 100, 10, 1);

  private final FakeRequest decode =
      FakeRequest.numbered(0, 80, 50)
          .status(RequestStatus.RUNNING)
          .outputTokens(10)
          .computedTokens(89);
  private final FakeRequest prefill =
      FakeRequest.numbered(1, 500, 50).status(RequestStatus.RUNNING).computedTokens(10);

  @Test
  void shouldFillTheTargetExactly() {
    // 5000 us = 1000 + 100 p + 10 + 90
    assertThat(budget(5_000_000, MODEL, decode, prefill)).isEqualTo(39 + 1);
  }

  @Test
  void shouldLeaveTheBudgetAloneWhenNobodyDecodes() {
    assertThat(budget(5_000_000, MODEL, prefill)).isEqualTo(128);
  }

  @Test
  void shouldLeaveTheBudgetAloneWhileNothingIsKnown() {
    assertThat(budget(5_000_000, null, decode, prefill)).isEqualTo(128);
  }

  @Test
  void shouldKeepPromptsMovingWhenDecodesMissTheTarget() {
    assertThat(budget(1_000, MODEL, decode, prefill)).isEqualTo(16 + 1);
  }

  @Test
  void shouldNotExceedTheLargestBudget() {
    assertThat(budget(1_000_000_000, MODEL, decode, prefill)).isEqualTo(128);
  }

  private static int budget(long targetNs, StepTimeModel model, FakeRequest... running) {
    return new ItlBudget(targetNs, 16)
        .tokens(
            SampleStep.of(PolicyContract.CONFIG, 16, 64).running(running).stepTime(model).build());
  }
}
