package dev.headway.executor.vector;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * Makes floats of the weights of a {@link PackedMatrix} or a {@link ScaledMatrix}, exactly but for
 * the product with a scale.
 */
final class Widening {

  private static final int HALF = Lanes.PANEL / 2;
  private static final int UPPER = 0xffff0000;

  /** Sign and mantissa of a half float in its place in a float; its exponent is too low by 112. */
  private static final int HALF_FLOAT = 0x8fffe000;

  private static final float EXPONENT_OF_HALF_FLOAT = 0x1p112f;

  private static final int QUARTER = Lanes.PANEL / 4;

  /** Sign and mantissa of an e4m3 in its place in a float; its exponent is too low by 120. */
  private static final int E4M3 = 0x87f00000;

  private static final float EXPONENT_OF_E4M3 = 0x1p120f;

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

  /**
   * Sets {@code inputs * 64} elements of the slab to four bytes of each word, as e4m3, multiplied
   * by the scales of their outputs; NaN does not occur.
   */
  static void e4m3s(
      MemorySegment codes,
      long from,
      int inputs,
      MemorySegment scales,
      long scalesAt,
      float[] slab,
      int slabAt) {
    for (int i = 0; i < QUARTER; i += Lanes.COUNT) {
      final FloatVector s0 = scales(scales, scalesAt, i);
      final FloatVector s1 = scales(scales, scalesAt, i + QUARTER);
      final FloatVector s2 = scales(scales, scalesAt, i + 2 * QUARTER);
      final FloatVector s3 = scales(scales, scalesAt, i + 3 * QUARTER);
      for (int input = 0; input < inputs; input++) {
        final IntVector four = pair(codes, from + (long) input * Lanes.PANEL + 4L * i);
        final int to = slabAt + input * Lanes.PANEL + i;
        e4m3(four.lanewise(VectorOperators.LSHL, 24)).mul(s0).intoArray(slab, to);
        e4m3(four.lanewise(VectorOperators.LSHL, 16)).mul(s1).intoArray(slab, to + QUARTER);
        e4m3(four.lanewise(VectorOperators.LSHL, 8)).mul(s2).intoArray(slab, to + 2 * QUARTER);
        e4m3(four).mul(s3).intoArray(slab, to + 3 * QUARTER);
      }
    }
  }

  /** The same for signed integers. */
  static void bytes(
      MemorySegment codes,
      long from,
      int inputs,
      MemorySegment scales,
      long scalesAt,
      float[] slab,
      int slabAt) {
    for (int i = 0; i < QUARTER; i += Lanes.COUNT) {
      final FloatVector s0 = scales(scales, scalesAt, i);
      final FloatVector s1 = scales(scales, scalesAt, i + QUARTER);
      final FloatVector s2 = scales(scales, scalesAt, i + 2 * QUARTER);
      final FloatVector s3 = scales(scales, scalesAt, i + 3 * QUARTER);
      for (int input = 0; input < inputs; input++) {
        final IntVector four = pair(codes, from + (long) input * Lanes.PANEL + 4L * i);
        final int to = slabAt + input * Lanes.PANEL + i;
        signed(four.lanewise(VectorOperators.LSHL, 24)).mul(s0).intoArray(slab, to);
        signed(four.lanewise(VectorOperators.LSHL, 16)).mul(s1).intoArray(slab, to + QUARTER);
        signed(four.lanewise(VectorOperators.LSHL, 8)).mul(s2).intoArray(slab, to + 2 * QUARTER);
        signed(four).mul(s3).intoArray(slab, to + 3 * QUARTER);
      }
    }
  }

  /** Subtracts the offsets of their outputs from {@code inputs * 64} elements of the slab. */
  static void subtract(
      MemorySegment offsets, long offsetsAt, int inputs, float[] slab, int slabAt) {
    for (int i = 0; i < Lanes.PANEL; i += Lanes.COUNT) {
      final FloatVector offset = scales(offsets, offsetsAt, i);
      for (int input = 0; input < inputs; input++) {
        final int at = slabAt + input * Lanes.PANEL + i;
        FloatVector.fromArray(Lanes.FLOATS, slab, at).sub(offset).intoArray(slab, at);
      }
    }
  }

  private static FloatVector scales(MemorySegment scales, long at, int index) {
    return FloatVector.fromMemorySegment(
        Lanes.FLOATS, scales, at + (long) Float.BYTES * index, ByteOrder.nativeOrder());
  }

  /** The highest bytes of some words. */
  private static FloatVector signed(IntVector upper) {
    return (FloatVector) upper.lanewise(VectorOperators.ASHR, 24).convert(VectorOperators.I2F, 0);
  }

  /** The highest bytes of some words, as {@link #half}. */
  private static FloatVector e4m3(IntVector upper) {
    return upper
        .lanewise(VectorOperators.ASHR, 4)
        .and(E4M3)
        .reinterpretAsFloats()
        .mul(EXPONENT_OF_E4M3);
  }
}
