package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.SamplingParams;
import org.junit.jupiter.api.Test;

/** Numbers worked out by hand, exact in binary. */
class PenaltiesTest {

  /** Prompt 0 1 1; outputs 2 3 3 1. */
  private static final int[] TOKENS = {0, 1, 1, 2, 3, 3, 1};

  @Test
  void shouldPenaliseRepetitionsOfPromptAndOutputsAndTheOthersOfOutputsOnly() {
    final float[] logits = {8, -8, 4, -4, 1};

    new Penalties(5).apply(logits, params(2, 0.5f, 0.25f), TOKENS, 3, 7);

    assertThat(logits)
        .containsExactly(
            4, // 8 / 2: in the prompt only
            -16.75f, // -8 * 2 - 0.25 - 0.5: once among the outputs
            1.25f, // 4 / 2 - 0.25 - 0.5
            -9, // -4 * 2 - 2 * 0.25 - 0.5
            1); // never seen
  }

  @Test
  void shouldForgetTheSequenceBefore() {
    final Penalties penalties = new Penalties(5);
    penalties.apply(new float[5], params(2, 1, 1), TOKENS, 3, 7);
    final float[] logits = {8, 8, 8, 8, 8};

    penalties.apply(logits, params(2, 1, 1), new int[] {4}, 1, 1);

    assertThat(logits).containsExactly(8, 8, 8, 8, 4);
  }

  @Test
  void shouldLookAtKnownTokensOnly() {
    final float[] logits = {8, 8, 8, 8, 8};

    new Penalties(5).apply(logits, params(2, 0, 0), TOKENS, 1, 1);

    assertThat(logits).containsExactly(4, 8, 8, 8, 8);
  }

  @Test
  void shouldSayWhetherAnyIsOn() {
    assertThat(Penalties.areOn(SamplingParams.GREEDY)).isFalse();
    assertThat(Penalties.areOn(params(2, 0, 0))).isTrue();
    assertThat(Penalties.areOn(params(1, 1, 0))).isTrue();
    assertThat(Penalties.areOn(params(1, 0, -1))).isTrue();
  }

  private static SamplingParams params(float repetition, float presence, float frequency) {
    return SamplingParams.builder()
        .repetitionPenalty(repetition)
        .presencePenalty(presence)
        .frequencyPenalty(frequency)
        .build();
  }
}
