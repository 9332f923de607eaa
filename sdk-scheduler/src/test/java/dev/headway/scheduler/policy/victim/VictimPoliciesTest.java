package dev.headway.scheduler.policy.victim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestStatus;
import dev.headway.testkit.FakeRequest;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleStep;
import org.junit.jupiter.api.Test;

class VictimPoliciesTest {

  @Test
  void shouldTakeTheLastAdmitted() {
    assertThat(victim(new LastAdmitted(), request(5, 10), request(1, 10))).isEqualTo(1);
  }

  @Test
  void shouldTakeTheLeastComputed() {
    assertThat(
            victim(
                VictimBy.LEAST_COMPUTED,
                request(0, 10).computedTokens(9),
                request(1, 10).computedTokens(4),
                request(2, 10).computedTokens(5)))
        .isEqualTo(1);
  }

  @Test
  void shouldTakeTheLastArrivedOfEquals() {
    for (VictimPolicy policy :
        new VictimPolicy[] {
          VictimBy.LEAST_COMPUTED, VictimBy.MOST_KV, VictimBy.FEWEST_OUTPUTS, VictimBy.COST
        }) {
      assertThat(
              victim(
                  policy,
                  request(3, 10).kvBlocks(1),
                  request(8, 10).kvBlocks(1),
                  request(5, 10).kvBlocks(1)))
          .isEqualTo(1);
    }
  }

  @Test
  void shouldTakeTheMostBlocks() {
    assertThat(victim(VictimBy.MOST_KV, request(0, 10).kvBlocks(3), request(1, 10).kvBlocks(2)))
        .isZero();
  }

  @Test
  void shouldTakeTheFewestOutputsThenTheLongestPrompt() {
    assertThat(
            victim(
                VictimBy.FEWEST_OUTPUTS,
                request(0, 10).outputTokens(2),
                request(1, 30).outputTokens(1),
                request(2, 20).outputTokens(1)))
        .isEqualTo(1);
  }

  @Test
  void shouldWeighBlocksAgainstTokensAndProgress() {
    final FakeRequest manyBlocks = request(0, 20).kvBlocks(10).outputTokens(80);
    final FakeRequest nearItsEnd = request(1, 10).kvBlocks(10).outputTokens(90);
    final FakeRequest early = request(2, 60).kvBlocks(6).outputTokens(0);

    // 10/100*0.2 = 0.02, 10/100*0.1 = 0.01, 6/60*1 = 0.1
    assertThat(victim(VictimBy.COST, manyBlocks, nearItsEnd, early)).isEqualTo(2);
    assertThat(victim(VictimBy.COST, nearItsEnd, manyBlocks)).isEqualTo(1);
  }

  private static FakeRequest request(long number, int promptTokens) {
    return FakeRequest.numbered(number, promptTokens, 100).status(RequestStatus.RUNNING);
  }

  private static int victim(VictimPolicy policy, FakeRequest... running) {
    final SampleStep step = SampleStep.of(PolicyContract.CONFIG, 16, 64).running(running).build();
    return policy.victim(running[0], 1, step);
  }
}
