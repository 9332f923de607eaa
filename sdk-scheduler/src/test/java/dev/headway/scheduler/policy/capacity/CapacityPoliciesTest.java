package dev.headway.scheduler.policy.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.request.RequestStatus;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleStep;
import org.junit.jupiter.api.Test;

class CapacityPoliciesTest {

  private final FakeRequest running =
      FakeRequest.numbered(0, 32, 64)
          .status(RequestStatus.RUNNING)
          .outputTokens(9)
          .computedTokens(41)
          .kvBlocks(3);
  private final FakeRequest candidate = FakeRequest.numbered(1, 40, 20);
  private final SampleStep step =
      SampleStep.of(PolicyContract.CONFIG, 16, 64).running(running).scheduled(1).build();

  @Test
  void shouldKeepNothingFreeWhenOptimistic() {
    assertThat(new Optimistic().blocksToKeepFree(candidate, 0, 40, step)).isZero();
  }

  @Test
  void shouldReserveToCompletionWithNoEvict() {
    final NoEvict given = new NoEvict(PolicyContract.CONFIG, PolicyContract.KV_CACHE);

    // running: 96 tokens = 6 blocks, 3 held; candidate: 60 tokens = 4 blocks, 40 tokens = 3 blocks
    assertThat(given.blocksToKeepFree(candidate, 0, 40, step)).isEqualTo(3 + 1);
    assertThat(given.blocksToKeepFree(candidate, 16, 8, step)).isEqualTo(3 + 2);
  }

  @Test
  void shouldNotReserveBeyondTheModelsLength() {
    final NoEvict given = new NoEvict(PolicyContract.CONFIG, PolicyContract.KV_CACHE);
    final FakeRequest endless = FakeRequest.numbered(2, 16, 100_000);
    final SampleStep alone = SampleStep.of(PolicyContract.CONFIG, 16, 64).build();

    assertThat(given.blocksToKeepFree(endless, 0, 16, alone)).isEqualTo(1024 / 16 - 1);
  }

  @Test
  void shouldReserveAShareOfTheOutputsToCome() {
    final NewTokenRatio given = new NewTokenRatio(0.5, 0.1, 4, 4096);

    // running: all known tokens scheduled, 55 outputs left * 0.5; candidate: 20 outputs
    assertThat(given.blocksToKeepFree(candidate, 0, 40, step)).isEqualTo(3);
  }

  @Test
  void shouldClipOutputsThatAreUnlikely() {
    final NewTokenRatio given = new NewTokenRatio(0.5, 0.1, 4, 10);

    assertThat(given.blocksToKeepFree(candidate, 0, 40, step)).isEqualTo(1);
  }

  @Test
  void shouldLowerTheRatioFromStepToStep() {
    final NewTokenRatio given = new NewTokenRatio(0.5, 0.1, 4, 4096);

    given.onStep(step);
    assertThat(given.ratio()).isCloseTo(0.4, within(1e-9));
    for (int i = 0; i < 10; i++) {
      given.onStep(step);
    }
    assertThat(given.ratio()).isCloseTo(0.1, within(1e-9));
  }

  @Test
  void shouldRaiseTheRatioOnAPreemption() {
    final NewTokenRatio given = new NewTokenRatio(0.2, 0.1, 4, 4096);

    given.onPreempted(candidate, step);

    assertThat(given.ratio()).isCloseTo((9 + 20) / (64.0 + 1), within(1e-9));
  }

  @Test
  void shouldNotLowerTheRatioOnAPreemption() {
    final NewTokenRatio given = new NewTokenRatio(0.9, 0.1, 4, 4096);

    given.onPreempted(candidate, step);

    assertThat(given.ratio()).isEqualTo(0.9);
  }

  @Test
  void shouldBeginAnewWhenNobodyRuns() {
    final NewTokenRatio given = new NewTokenRatio(0.5, 0.1, 4, 4096);
    given.onStep(step);

    given.onStep(SampleStep.of(PolicyContract.CONFIG, 16, 64).build());

    assertThat(given.ratio()).isEqualTo(0.5);
  }
}
