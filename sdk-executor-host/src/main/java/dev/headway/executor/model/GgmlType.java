package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How ggml stores the elements of a row: plain, or in blocks of integers with scales, of which
 * {@code weight = code * scale(group) - offset(group)} in floats, in this order.
 *
 * <p>Layouts: {@code block_q4_0} and its like in ggml's {@code ggml-common.h}, {@code
 * dequantize_row_q4_0} and its like in {@code ggml-quants.c}, numbers of the types in {@code
 * docs/gguf.md}.
 */
enum GgmlType {
  F32(0, 1, 4, 1),
  F16(1, 1, 2, 1),
  BF16(30, 1, 2, 1),
  /**
   * {@code d: f16, 16 bytes}: code i in the lower half of byte i, code i + 16 in its upper half.
   */
  Q4_0(2, 32, 18, 32),
  /** {@code d: f16, 32 signed bytes}. */
  Q8_0(8, 32, 34, 32),
  /** {@code d: f16, dmin: f16, 12 bytes of scales and offsets of 6 bits, 128 bytes}. */
  Q4_K(12, 256, 144, 32),
  /** As {@link #Q4_K}, with 32 bytes of fifth bits before the codes. */
  Q5_K(13, 256, 176, 32),
  /** {@code 128 bytes of lower halves, 64 of upper two bits, 16 signed scales, d: f16}. */
  Q6_K(14, 256, 210, 16);

  /** Names of the types by their numbers, those that are not read too. */
  private static final String[] NAMES = {
    "F32",
    "F16",
    "Q4_0",
    "Q4_1",
    "Q4_2",
    "Q4_3",
    "Q5_0",
    "Q5_1",
    "Q8_0",
    "Q8_1",
    "Q2_K",
    "Q3_K",
    "Q4_K",
    "Q5_K",
    "Q6_K",
    "Q8_K",
    "IQ2_XXS",
    "IQ2_XS",
    "IQ3_XXS",
    "IQ1_S",
    "IQ4_NL",
    "IQ3_S",
    "IQ2_S",
    "IQ4_XS",
    "I8",
    "I16",
    "I32",
    "I64",
    "F64",
    "IQ1_M",
    "BF16",
    "Q4_0_4_4",
    "Q4_0_4_8",
    "Q4_0_8_8",
    "TQ1_0",
    "TQ2_0",
    "IQ4_NL_4_4",
    "IQ4_NL_4_8",
    "IQ4_NL_8_8",
    "MXFP4"
  };

  private final int number;
  private final int elements;
  private final int bytes;
  private final int groupElements;

  GgmlType(int number, int elements, int bytes, int groupElements) {
    this.number = number;
    this.elements = elements;
    this.bytes = bytes;
    this.groupElements = groupElements;
  }

  static Optional<GgmlType> of(int number) {
    return Arrays.stream(values()).filter(type -> type.number == number).findFirst();
  }

  /** The name of a number, of types that are not read too. */
  static String name(int number) {
    return number >= 0 && number < NAMES.length ? NAMES[number] : Integer.toUnsignedString(number);
  }

  /** Elements of a block. */
  int elements() {
    return elements;
  }

  /** Bytes of a block. */
  int bytes() {
    return bytes;
  }

  /** Elements that share a scale. */
  int groupElements() {
    return groupElements;
  }

  /** The type of elements that are plain; null of those in blocks. */
  @Nullable WeightType plain() {
    return switch (this) {
      case F32 -> WeightType.F32;
      case F16 -> WeightType.F16;
      case BF16 -> WeightType.BF16;
      case Q4_0, Q8_0, Q4_K, Q5_K, Q6_K -> null;
    };
  }

  /** Whether groups have an offset. */
  boolean hasOffsets() {
    return this == Q4_K || this == Q5_K;
  }

  /**
   * The code of element {@code i} of a block.
   *
   * @param at the block's first byte
   */
  byte code(MemorySegment row, long at, int i) {
    return switch (this) {
      case Q4_0 -> (byte) (half(row, at + 2 + i % 16, i / 16) - 8);
      case Q8_0 -> row.get(ValueLayout.JAVA_BYTE, at + 2 + i);
      case Q4_K -> (byte) ofPairs(row, at + 16, i);
      case Q5_K -> {
        final int fifth = (unsigned(row, at + 16 + i % 32) >> (i / 32)) & 1;
        yield (byte) (ofPairs(row, at + 48, i) | (fifth << 4));
      }
      case Q6_K -> {
        final int second = i / 128; // halves of the block alike
        final int placeOfLower = second * 64 + i % 64;
        final int placeOfUpper = 128 + second * 32 + i % 32;
        final int lower = half(row, at + placeOfLower, i / 64 % 2);
        final int upper = (unsigned(row, at + placeOfUpper) >> (i / 32 % 4 * 2)) & 3;
        yield (byte) ((lower | (upper << 4)) - 32);
      }
      case F32, F16, BF16 -> throw new IllegalStateException("plain types have no codes: " + this);
    };
  }

  /** 32 bytes hold 32 codes in their lower halves and the next 32 in their upper ones. */
  private static int ofPairs(MemorySegment row, long at, int i) {
    final int place = i / 64 * 32 + i % 32;
    return half(row, at + place, i / 32 % 2);
  }

  /** The scale of a group of a block. */
  float scale(MemorySegment row, long at, int group) {
    return switch (this) {
      case Q4_0, Q8_0 -> half(row, at);
      case Q4_K, Q5_K -> half(row, at) * sixBits(row, at + 4, group);
      case Q6_K -> half(row, at + 208) * row.get(ValueLayout.JAVA_BYTE, at + 192 + group);
      case F32, F16, BF16 -> throw new IllegalStateException("plain types have no scales: " + this);
    };
  }

  /** The offset of a group of a block; 0 without {@link #hasOffsets}. */
  float offset(MemorySegment row, long at, int group) {
    return hasOffsets() ? half(row, at + 2) * sixBits(row, at + 4, 8 + group) : 0;
  }

  /** Scale 0 to 7, or offset 0 to 7 behind them, as {@code get_scale_min_k4} takes them apart. */
  private static int sixBits(MemorySegment row, long at, int index) {
    final int table = index / 8 * 4;
    final int group = index % 8;
    if (group < 4) {
      return unsigned(row, at + table + group) & 0x3f;
    }
    final int lower = half(row, at + 8 + group - 4, index / 8);
    return lower | ((unsigned(row, at + table + group - 4) >> 6) << 4);
  }

  private static int unsigned(MemorySegment row, long at) {
    return Byte.toUnsignedInt(row.get(ValueLayout.JAVA_BYTE, at));
  }

  /** The lower half of a byte, 0, or its upper half, 1. */
  private static int half(MemorySegment row, long at, int upper) {
    return (unsigned(row, at) >> (4 * upper)) & 0xf;
  }

  private static float half(MemorySegment row, long at) {
    return Float.float16ToFloat(row.get(WeightType.SHORT, at));
  }
}
