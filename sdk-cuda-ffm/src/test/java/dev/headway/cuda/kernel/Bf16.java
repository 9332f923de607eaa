package dev.headway.cuda.kernel;

/** bf16 in tests: round to nearest even, as cvt.rn.bf16.f32 does. */
final class Bf16 {
  private Bf16() {}

  static short of(double value) {
    final int bits = Float.floatToRawIntBits((float) value);
    return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
  }

  static float toFloat(short value) {
    return Float.intBitsToFloat(value << 16);
  }

  static double[] toDoubles(short[] values) {
    final double[] result = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = toFloat(values[i]);
    }
    return result;
  }

  static short[] ofAll(double[] values) {
    final short[] result = new short[values.length];
    for (int i = 0; i < values.length; i++) {
      result[i] = of(values[i]);
    }
    return result;
  }
}
