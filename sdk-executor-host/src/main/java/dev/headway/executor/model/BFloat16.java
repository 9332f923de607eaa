package dev.headway.executor.model;

/** The upper half of a float: 8 bits of exponent, 7 of mantissa. */
public final class BFloat16 {

  private static final int QUIET_NAN = 0x7fc0;

  private BFloat16() {}

  /** Nearest bfloat16, ties to even, as CUDA's {@code __float2bfloat16_rn}; NaN stays NaN. */
  public static short toBits(float value) {
    final int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (((bits >>> 16) & 0x8000) | QUIET_NAN);
    }
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  /** The float of equal value. */
  public static float toFloat(short bits) {
    return Float.intBitsToFloat(bits << 16);
  }

  /** The nearest value that a bfloat16 can hold. */
  public static float round(float value) {
    return toFloat(toBits(value));
  }
}
