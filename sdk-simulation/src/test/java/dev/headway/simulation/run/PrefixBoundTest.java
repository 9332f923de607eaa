package dev.headway.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.simulation.workload.WorkloadRequest;
import org.junit.jupiter.api.Test;

class PrefixBoundTest {

  private final PrefixBound bound = new PrefixBound();

  private void count(int inputTokens, int... blocks) {
    bound.count(
        new WorkloadRequest("r", 0, inputTokens, 1, blocks, blocks.length == 0 ? 0 : 16, null, 0));
  }

  @Test
  void shouldCountTokensOfBlocksSeenBefore() {
    count(40, 1, 2, 3);
    count(40, 1, 2, 4);

    assertThat(bound.isKnown()).isTrue();
    assertThat(bound.share()).isEqualTo(32.0 / 80);
  }

  @Test
  void shouldCutTheLastBlockAtTheEndOfThePrompt() {
    count(40, 1, 2, 3);
    count(40, 1, 2, 3);

    assertThat(bound.share()).isEqualTo(40.0 / 80);
  }

  @Test
  void shouldKnowNothingOfTracesWithoutBlocks() {
    count(40);

    assertThat(bound.isKnown()).isFalse();
    assertThat(bound.share()).isZero();
  }
}
