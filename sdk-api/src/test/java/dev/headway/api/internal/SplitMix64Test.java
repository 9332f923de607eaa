package dev.headway.api.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitMix64Test {

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, 42, Long.MIN_VALUE, 0x0123456789abcdefL})
  void shouldMixAsTheJdksSplitMix64(long seed) {
    final SplittableRandom jdk = new SplittableRandom(seed);

    long state = seed;
    for (int i = 0; i < 100; i++) {
      state += SplitMix64.GOLDEN_GAMMA;
      assertThat(SplitMix64.mix(state)).as("output %d, seed=%d", i, seed).isEqualTo(jdk.nextLong());
    }
  }
}
