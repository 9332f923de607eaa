package dev.headway.api.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TokenLogprobsTest {

  @Test
  void shouldBeEqualByContents() {
    assertThat(of(-1f, 2, 5)).isEqualTo(of(-1f, 2, 5)).hasSameHashCodeAs(of(-1f, 2, 5));
    assertThat(of(-1f, 2, 5)).isNotEqualTo(of(-1f, 2, 6));
    assertThat(of(-1f, 2, 5)).isNotEqualTo(of(-1f, 3, 5));
    assertThat(of(-1f, 2, 5))
        .hasToString("TokenLogprobs[logprob=-1.0, rank=2, topIds=[5], topLogprobs=[-0.5]]");
  }

  @Test
  void shouldSpreadHashesOverContents() {
    final int hash = of(-1f, 2, 5).hashCode();

    assertThat(of(-2f, 2, 5).hashCode()).isNotEqualTo(hash);
    assertThat(of(-1f, 2, 6).hashCode()).isNotEqualTo(hash);
    assertThat(new TokenLogprobs(-1f, 2, new int[] {5}, new float[] {-2}).hashCode())
        .isNotEqualTo(hash);
  }

  @Test
  void shouldTakeAnImpossibleToken() {
    assertThat(of(Float.NEGATIVE_INFINITY, 9, 5).logprob()).isEqualTo(Float.NEGATIVE_INFINITY);
  }

  @Test
  void shouldRefuseWhatIsNoProbability() {
    assertThatThrownBy(() -> of(Float.NaN, 1, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("logprob must be a number: logprob=NaN");
    assertThatThrownBy(() -> of(-1f, 0, 5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rank must be >= 1: rank=0");
    assertThatThrownBy(() -> new TokenLogprobs(-1f, 1, new int[2], new float[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("topIds and topLogprobs must be of one length: topIds=2, topLogprobs=1");
  }

  private static TokenLogprobs of(float logprob, int rank, int topId) {
    return new TokenLogprobs(logprob, rank, new int[] {topId}, new float[] {-0.5f});
  }
}
