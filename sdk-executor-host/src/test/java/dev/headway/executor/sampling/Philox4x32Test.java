package dev.headway.executor.sampling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Known answers of Random123's {@code kat_vectors}, philox4x32 with 10 rounds. */
class Philox4x32Test {

  @Test
  void shouldAnswerTheVectorOfZeros() {
    assertThat(generate(0L, 0, 0, 0, 0))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  }

  @Test
  void shouldAnswerTheVectorOfOnes() {
    assertThat(generate(-1L, -1, -1, -1, -1))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  }

  @Test
  void shouldAnswerTheVectorOfPi() {
    final long key = 0x299f31d0a4093822L;
    assertThat(generate(key, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344))
        .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }

  private static int[] generate(long key, int... counter) {
    Philox4x32.generate(counter, key);
    return counter;
  }
}
