package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BFloat16Test {

  @Test
  void shouldRoundToTheNearestAndTiesToEven() {
    assertThat(BFloat16.round(1 + 0x1p-8f)).isEqualTo(1); // half-way, down to even
    assertThat(BFloat16.round(1 + 3 * 0x1p-8f)).isEqualTo(1 + 0x1p-6f); // half-way, up to even
    assertThat(BFloat16.round(1 + 0x1.02p-8f)).isEqualTo(1 + 0x1p-7f);
    assertThat(BFloat16.round(-1 - 0x1.02p-8f)).isEqualTo(-1 - 0x1p-7f);
  }

  @Test
  void shouldKeepEveryValueItCanHold() {
    for (int bits = 0; bits < 1 << 16; bits++) {
      final float value = BFloat16.toFloat((short) bits);
      if (!Float.isNaN(value)) {
        assertThat(BFloat16.toBits(value)).isEqualTo((short) bits);
      }
    }
  }

  @Test
  void shouldOverflowToInfinityAndKeepNaN() {
    assertThat(BFloat16.round(Float.MAX_VALUE)).isEqualTo(Float.POSITIVE_INFINITY);
    assertThat(BFloat16.round(Float.intBitsToFloat(0x7f800001))).isNaN();
    assertThat(BFloat16.round(Float.intBitsToFloat(0xffffffff))).isNaN();
  }
}
