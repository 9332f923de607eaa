package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class GumbelNoiseTest {

  /** u = 2^-25 and u = 1 - 2^-25: -ln(25 ln 2) and about 25 ln 2. */
  @Test
  void shouldBeFiniteAtBothEndsOfTheUniform() {
    assertThat(GumbelNoise.fromWord(0)).isCloseTo(-2.8524f, within(1e-4f));
    assertThat(GumbelNoise.fromWord(-1)).isCloseTo(17.3287f, within(1e-4f));
  }

  @Test
  void shouldIgnoreTheLowestByteOfTheWord() {
    assertThat(GumbelNoise.fromWord(0x12345600)).isEqualTo(GumbelNoise.fromWord(0x123456ff));
    assertThat(GumbelNoise.fromWord(0x12345600)).isNotEqualTo(GumbelNoise.fromWord(0x12345700));
  }

  @Test
  void shouldTakeTheFirstWordOfTheCounterOfTokenAndPosition() {
    final int[] counter = {17, 23, 0, 0};
    Philox4x32.generate(counter, 0x123456789abcdef0L);

    final float noise = new GumbelNoise().of(0x123456789abcdef0L, 17, 23);

    assertThat(noise).isEqualTo(GumbelNoise.fromWord(counter[0]));
  }
}
