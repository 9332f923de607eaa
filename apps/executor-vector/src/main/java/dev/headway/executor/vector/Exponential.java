package dev.headway.executor.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/* x = n ln 2 + r with |r| <= ln 2 / 2, exp(x) = 2^n exp(r), exp(r) by a polynomial.
 *
 * Coefficients and the two parts of ln 2 are those of expf in the Cephes library (Moshier). The
 * nearest integer is found by adding 1.5 * 2^23, whose last bit is worth 1, so that the sum's bits
 * hold n.
 */

/**
 * The exponential function, within two units in the last place, by operations that IEEE 754 defines
 * to the bit. The Vector API's own may give other bits on another machine, or once a method is
 * compiled.
 */
final class Exponential {

  /** Where 2^n stays a normal float. */
  private static final float LEAST = -87;

  private static final float MOST = 88;
  private static final float LOG2_E = 1.442695f;
  private static final float LN2_UPPER = 0.6933594f;
  private static final float LN2_LOWER = -2.1219444e-4f;
  private static final float ROUNDER = 12_582_912;
  private static final int ROUNDER_BITS = Float.floatToRawIntBits(ROUNDER);
  private static final int EXPONENT_BIAS = 127;
  private static final int MANTISSA_BITS = 23;

  private Exponential() {}

  /** Of each lane, cut to [-87, 88]; NaN stays NaN. */
  static FloatVector of(FloatVector x) {
    final FloatVector cut = x.max(LEAST).min(MOST);
    final FloatVector rounded = cut.fma(all(LOG2_E), all(ROUNDER));
    final FloatVector n = rounded.sub(ROUNDER);
    final FloatVector r = n.fma(all(-LN2_LOWER), n.fma(all(-LN2_UPPER), cut));
    FloatVector p = all(1.9875691e-4f);
    p = p.fma(r, all(0.0013981999f));
    p = p.fma(r, all(0.008333452f));
    p = p.fma(r, all(0.041665796f));
    p = p.fma(r, all(0.16666666f));
    p = p.fma(r, all(0.5f));
    final FloatVector power = p.fma(r.mul(r), r).add(1);
    final IntVector exponent = rounded.reinterpretAsInts().sub(ROUNDER_BITS - EXPONENT_BIAS);
    return power.mul(exponent.lanewise(VectorOperators.LSHL, MANTISSA_BITS).reinterpretAsFloats());
  }

  private static FloatVector all(float value) {
    return FloatVector.broadcast(Lanes.FLOATS, value);
  }
}
