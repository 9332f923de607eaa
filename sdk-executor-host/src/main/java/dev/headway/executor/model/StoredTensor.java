package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A tensor of a model in a mapped file, its dtype and shape checked. Any thread. */
interface StoredTensor {

  /** Its name and shape in {@link ModelLayout}. */
  TensorSpec spec();

  /** As {@link ModelWeights#type}. */
  WeightType type();

  /** Widens elements that are there to floats. */
  void read(long from, float[] target, int offset, int length);

  /** The elements as they lie in the file, little-endian; null if they are not of {@link #type}. */
  default @Nullable MemorySegment bytes() {
    return null;
  }

  /** The matrix as it is stored; null if it is not quantised. */
  default @Nullable QuantizedMatrix quantized() {
    return null;
  }

  /**
   * Elements that are spread over a larger tensor, whose type is one of {@link WeightType}.
   *
   * @param whole bytes of the larger tensor
   * @param first index there of the first element
   * @param rowDistance from an element to the one below
   * @param columnDistance from an element to the one beside
   */
  record Strided(
      TensorSpec spec,
      WeightType type,
      MemorySegment whole,
      long first,
      long rowDistance,
      long columnDistance)
      implements StoredTensor {
    @Override
    public void read(long from, float[] target, int offset, int length) {
      final long columns = spec.elements() / spec.shape().getFirst();
      for (int i = 0; i < length; i++) {
        final long row = (from + i) / columns;
        final long column = (from + i) % columns;
        target[offset + i] = type.read(whole, first + row * rowDistance + column * columnDistance);
      }
    }
  }

  /** Elements of a type of {@link WeightType}. */
  record Plain(TensorSpec spec, WeightType type, MemorySegment bytes) implements StoredTensor {
    @Override
    public void read(long from, float[] target, int offset, int length) {
      type.read(bytes, from, target, offset, length);
    }
  }
}
