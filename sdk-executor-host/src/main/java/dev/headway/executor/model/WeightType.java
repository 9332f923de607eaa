package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

/** How weights are stored, little-endian. */
public enum WeightType {
  /** IEEE 754 single precision. */
  F32(4),
  /** IEEE 754 half precision. */
  F16(2),
  /** bfloat16. */
  BF16(2);

  static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final int bytes;

  WeightType(int bytes) {
    this.bytes = bytes;
  }

  /** The type that safetensors calls so, if it is one of these. */
  static Optional<WeightType> ofDtype(String dtype) {
    return Arrays.stream(values()).filter(type -> type.name().equals(dtype)).findFirst();
  }

  /** Bytes per element. */
  public int bytes() {
    return bytes;
  }

  /** Replaces values by the nearest that this type can hold. */
  void round(float[] values, int offset, int length) {
    switch (this) {
      case F32 -> {}
      case F16 -> {
        for (int i = offset; i < offset + length; i++) {
          values[i] = Float.float16ToFloat(Float.floatToFloat16(values[i]));
        }
      }
      case BF16 -> {
        for (int i = offset; i < offset + length; i++) {
          values[i] = BFloat16.round(values[i]);
        }
      }
    }
  }

  /** Widens elements [from, from + length) of {@code source} to floats. */
  void read(MemorySegment source, long from, float[] target, int offset, int length) {
    switch (this) {
      case F32 -> MemorySegment.copy(source, FLOAT, 4 * from, target, offset, length);
      case F16 -> {
        for (int i = 0; i < length; i++) {
          target[offset + i] = Float.float16ToFloat(source.get(SHORT, 2 * (from + i)));
        }
      }
      case BF16 -> {
        for (int i = 0; i < length; i++) {
          target[offset + i] = BFloat16.toFloat(source.get(SHORT, 2 * (from + i)));
        }
      }
    }
  }

  /** An element as a float. */
  float read(MemorySegment source, long index) {
    return switch (this) {
      case F32 -> source.get(FLOAT, 4 * index);
      case F16 -> Float.float16ToFloat(source.get(SHORT, 2 * index));
      case BF16 -> BFloat16.toFloat(source.get(SHORT, 2 * index));
    };
  }

  /** Stores floats as elements from index {@code to} on. */
  void write(float[] source, int offset, MemorySegment target, long to, int length) {
    switch (this) {
      case F32 -> MemorySegment.copy(source, offset, target, FLOAT, 4 * to, length);
      case F16 -> {
        for (int i = 0; i < length; i++) {
          target.set(SHORT, 2 * (to + i), Float.floatToFloat16(source[offset + i]));
        }
      }
      case BF16 -> {
        for (int i = 0; i < length; i++) {
          target.set(SHORT, 2 * (to + i), BFloat16.toBits(source[offset + i]));
        }
      }
    }
  }
}
