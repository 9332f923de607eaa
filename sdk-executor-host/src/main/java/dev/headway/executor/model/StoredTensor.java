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

  /** Elements of a type of {@link WeightType}. */
  record Plain(TensorSpec spec, WeightType type, MemorySegment bytes) implements StoredTensor {
    @Override
    public void read(long from, float[] target, int offset, int length) {
      type.read(bytes, from, target, offset, length);
    }
  }
}
