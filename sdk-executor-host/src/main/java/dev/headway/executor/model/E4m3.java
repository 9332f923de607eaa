package dev.headway.executor.model;

/**
 * The eight-bit float of quantised checkpoints, {@code float8_e4m3fn}: a sign, 4 bits of exponent
 * with bias 7, 3 of mantissa, subnormals, no infinities, and one NaN of each sign. 448 is the
 * largest value, 2^-9 the smallest above zero.
 *
 * <p>Format: <a href="https://arxiv.org/abs/2209.05433">FP8 Formats for Deep Learning</a>, table 1.
 */
public final class E4m3 {

  /** The largest value. */
  public static final float MAX = 448;

  private static final int NAN = 0x7f;
  private static final float SMALLEST = 0x1p-9f;
  private static final float SMALLEST_NORMAL = 0x1p-6f;

  /** Adding it to a value below {@link #SMALLEST_NORMAL} rounds to a multiple of the smallest. */
  private static final float SUBNORMAL_ROUNDER = 0x1p14f;

  private static final float[] VALUES = values();

  private E4m3() {}

  private static float[] values() {
    final float[] values = new float[256];
    for (int bits = 0; bits < values.length; bits++) {
      final int exponent = bits >> 3 & 0xf;
      final int mantissa = bits & 7;
      final float magnitude =
          exponent == 0 ? mantissa * SMALLEST : Math.scalb(1 + mantissa / 8f, exponent - 7);
      values[bits] = (bits & NAN) == NAN ? Float.NaN : bits < 128 ? magnitude : -magnitude;
    }
    return values;
  }

  /** The float of equal value. */
  public static float toFloat(byte bits) {
    return VALUES[bits & 0xff];
  }

  /**
   * The nearest value, ties to even; what is beyond {@link #MAX}, infinities too, becomes that, as
   * CUDA's conversion with {@code __NV_SATFINITE} does. NaN stays NaN.
   */
  public static byte toBits(float value) {
    final int sign = Float.floatToRawIntBits(value) >>> 24 & 0x80;
    if (Float.isNaN(value)) {
      return (byte) (sign | NAN);
    }
    final float magnitude = Math.min(Math.abs(value), MAX);
    if (magnitude < SMALLEST_NORMAL) { // the sum's last bit is worth the smallest
      final float rounded = magnitude + SUBNORMAL_ROUNDER - SUBNORMAL_ROUNDER;
      return (byte) (sign | (int) (rounded / SMALLEST));
    }
    final int bits = Float.floatToRawIntBits(magnitude);
    final int rounded = bits + 0x7ffff + (bits >>> 20 & 1);
    return (byte) (sign | (rounded >>> 20) - ((127 - 7) << 3));
  }
}
