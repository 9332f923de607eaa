package dev.headway.cuda.kernel;

/**
 * What the e4m3 codes of a layer's keys and values are multiplied by. Scales are rounded to bf16: a
 * page is read as bf16 numbers, each code times its scale, rounded once.
 *
 * @param keys in [2^-100, 128)
 * @param values as {@code keys}
 */
public record PageScales(float keys, float values) {
  /** Codes are the values. */
  public static final PageScales ONE = new PageScales(1, 1);

  private static final float LEAST = 0x1p-100f;
  private static final float LIMIT = 128;

  /** Added to a bf16's exponent: kernels put a code where it is too small by 2^120. */
  private static final int EXPONENT_OF_CODES = 120 << 7;

  /** Validates and rounds the components. */
  public PageScales {
    keys = rounded("keys", keys);
    values = rounded("values", values);
  }

  private static float rounded(String of, float scale) {
    if (!(scale >= LEAST && scale < LIMIT)) {
      throw new IllegalArgumentException(
          "scales of pages must be in [2^-100, 128): " + of + "=" + scale);
    }
    final int bits = Float.floatToRawIntBits(scale);
    return Float.intBitsToFloat((bits + 0x7fff + (bits >>> 16 & 1)) & 0xffff0000);
  }

  int keyFactor() {
    return factor(keys);
  }

  int valueFactor() {
    return factor(values);
  }

  private static int factor(float scale) {
    final int bf16 = (Float.floatToRawIntBits(scale) >>> 16) + EXPONENT_OF_CODES;
    return bf16 << 16 | bf16;
  }
}
