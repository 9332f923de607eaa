package dev.headway.executor.vector;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** Makes floats of the 16-bit weights of a {@link PackedMatrix}, exactly. */
final class Widening {

  private static final int HALF = Lanes.PANEL / 2;
  private static final int UPPER = 0xffff0000;

  /** Sign and mantissa of a half float in its place in a float; its exponent is too low by 112. */
  private static final int HALF_FLOAT = 0x8fffe000;

  private static final float EXPONENT_OF_HALF_FLOAT = 0x1p112f;

  private Widening() {}

  /** Words [from, from + 4 * words) hold two bfloat16 each, which are the upper half of a float. */
  static void bfloat16s(MemorySegment weights, long from, int words, float[] slab) {
    for (int input = 0; input < words; input += HALF) {
      for (int i = 0; i < HALF; i += Lanes.COUNT) {
        final IntVector pair = pair(weights, from + 4L * (input + i));
        final int to = 2 * input + i;
        pair.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats().intoArray(slab, to);
        pair.and(UPPER).reinterpretAsFloats().intoArray(slab, to + HALF);
      }
    }
  }

  /** The same for half floats; infinities and NaN do not occur. */
  static void halves(MemorySegment weights, long from, int words, float[] slab) {
    for (int input = 0; input < words; input += HALF) {
      for (int i = 0; i < HALF; i += Lanes.COUNT) {
        final IntVector pair = pair(weights, from + 4L * (input + i));
        final int to = 2 * input + i;
        half(pair.lanewise(VectorOperators.LSHL, 16)).intoArray(slab, to);
        half(pair).intoArray(slab, to + HALF);
      }
    }
  }

  private static IntVector pair(MemorySegment weights, long at) {
    return IntVector.fromMemorySegment(Lanes.INTS, weights, at, ByteOrder.nativeOrder());
  }

  /** The upper halves of some words. Multiplying sets the exponent, of subnormals too. */
  private static FloatVector half(IntVector upper) {
    return upper
        .lanewise(VectorOperators.ASHR, 3)
        .and(HALF_FLOAT)
        .reinterpretAsFloats()
        .mul(EXPONENT_OF_HALF_FLOAT);
  }
}
