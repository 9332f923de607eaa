package dev.headway.scheduler.policy.victim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.RequestStatus;
import dev.headway.testkit.policy.PolicyContract;
import dev.headway.testkit.policy.SampleRequest;
import dev.headway.testkit.policy.SampleStep;
import org.junit.jupiter.api.Test;

class VictimPoliciesTest {

  @Test
  void shouldTakeTheLastAdmitted() {
    assertThat(victim(new LastAdmitted(), request(5, 10).build(), request(1, 10).build()))
        .isEqualTo(1);
  }

  @Test
  void shouldTakeTheLeastComputed() {
    assertThat(
            victim(
                VictimBy.LEAST_COMPUTED,
                request(0, 10).computedTokens(9).build(),
                request(1, 10).computedTokens(4).build(),
                request(2, 10).computedTokens(5).build()))
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
                  request(3, 10).kvBlocks(1).build(),
                  request(8, 10).kvBlocks(1).build(),
                  request(5, 10).kvBlocks(1).build()))
          .isEqualTo(1);
    }
  }

  @Test
  void shouldTakeTheMostBlocks() {
    assertThat(
            victim(
                VictimBy.MOST_KV,
                request(0, 10).kvBlocks(3).build(),
                request(1, 10).kvBlocks(2).build()))
        .isZero();
  }

  @Test
  void shouldTakeTheFewestOutputsThenTheLongestPrompt() {
    assertThat(
            victim(
                VictimBy.FEWEST_OUTPUTS,
                request(0, 10).outputTokens(2).build(),
                request(1, 30).outputTokens(1).build(),
                request(2, 20).outputTokens(1).build()))
        .isEqualTo(1);
  }

  @Test
  void shouldWeighBlocksAgainstTokensAndProgress() {
    final SampleRequest manyBlocks = request(0, 20).kvBlocks(10).outputTokens(80).build();
    final SampleRequest nearItsEnd = request(1, 10).kvBlocks(10).outputTokens(90).build();
    final SampleRequest early = request(2, 60).kvBlocks(6).outputTokens(0).build();

    // 10/100*0.2 = 0.02, 10/100*0.1 = 0.01, 6/60*1 = 0.1
    assertThat(victim(VictimBy.COST, manyBlocks, nearItsEnd, early)).isEqualTo(2);
    assertThat(victim(VictimBy.COST, nearItsEnd, manyBlocks)).isEqualTo(1);
  }

  private static SampleRequest.Builder request(long number, int promptTokens) {
    return SampleRequest.numbered(number, promptTokens, 100).status(RequestStatus.RUNNING);
  }

  private static int victim(VictimPolicy policy, SampleRequest... running) {
    final SampleStep step = SampleStep.of(PolicyContract.CONFIG, 16, 64).running(running).build();
    return policy.victim(running[0], 1, step);
  }
}
