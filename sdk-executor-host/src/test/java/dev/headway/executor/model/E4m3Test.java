package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class E4m3Test {

  /** From the definition, without the arithmetic of the class. */
  private static double defined(int bits) {
    final double sign = bits >= 128 ? -1 : 1;
    final int exponent = bits / 8 % 16;
    final double fraction = bits % 8 / 8.0;
    return exponent == 0
        ? sign * fraction * Math.pow(2, -6)
        : sign * (1 + fraction) * Math.pow(2, exponent - 7);
  }

  @Test
  void shouldDecodeEveryCodeAsDefined() {
    for (int bits = 0; bits < 256; bits++) {
      final float value = E4m3.toFloat((byte) bits);
      if (bits % 128 == 127) {
        assertThat(value).isNaN();
      } else {
        assertThat((double) value).as("bits=%d", bits).isEqualTo(defined(bits));
      }
    }
    assertThat(E4m3.toFloat((byte) 0x7e)).isEqualTo(448);
    assertThat(E4m3.toFloat((byte) 1)).isEqualTo(0x1p-9f);
    assertThat(Float.floatToRawIntBits(E4m3.toFloat((byte) 0x80))).isEqualTo(1 << 31);
  }

  @Test
  void shouldEncodeEveryValueAsItself() {
    for (int bits = 0; bits < 256; bits++) {
      final int expected = bits % 128 == 127 ? 0x7f : bits; // a NaN's sign says nothing
      assertThat(E4m3.toBits(E4m3.toFloat((byte) bits)))
          .as("bits=%d", bits)
          .isEqualTo((byte) expected);
    }
  }

  @Test
  void shouldRoundToTheNearestAndToEvenBetween() {
    for (int bits = 0; bits < 0x7e; bits++) {
      final float low = E4m3.toFloat((byte) bits);
      final float high = E4m3.toFloat((byte) (bits + 1));
      final float middle = (low + high) / 2; // exact
      final int even = bits + bits % 2;

      assertThat(E4m3.toBits(middle)).as("between %s and %s", low, high).isEqualTo((byte) even);
      assertThat(E4m3.toBits(Math.nextDown(middle))).isEqualTo((byte) bits);
      assertThat(E4m3.toBits(Math.nextUp(middle))).isEqualTo((byte) (bits + 1));
      assertThat(E4m3.toBits(-middle)).isEqualTo((byte) (even | 0x80));
    }
  }

  @Test
  void shouldSaturate() {
    for (float value : new float[] {448.001f, 464, 1e9f, Float.POSITIVE_INFINITY}) {
      assertThat(E4m3.toBits(value)).isEqualTo((byte) 0x7e);
      assertThat(E4m3.toBits(-value)).isEqualTo((byte) 0xfe);
    }
    assertThat(E4m3.toBits(Float.NaN)).isEqualTo((byte) 0x7f);
    assertThat(E4m3.toBits(Float.MIN_VALUE)).isZero();
  }

  @Test
  void shouldBeNearAnyValueInItsRange() {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      final float value = (float) (448 * Math.pow(2, -14 * random.nextDouble()));
      final float error = Math.abs(E4m3.toFloat(E4m3.toBits(value)) - value);

      assertThat(error).as("seed=%d, value=%s", seed, value).isLessThanOrEqualTo(value / 16);
    }
  }
}
