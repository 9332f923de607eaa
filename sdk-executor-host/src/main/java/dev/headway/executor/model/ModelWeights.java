package dev.headway.executor.model;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The weights of a model, read piece by piece: nothing is held beside what the reader asks for, so
 * an upload needs one staging buffer however large the model is.
 *
 * <p>Any thread may read, several at once. Which tensors there are says {@link ModelLayout#of};
 * names outside of it are refused. Reading after {@link #close} is an {@link
 * IllegalStateException}.
 */
public interface ModelWeights extends AutoCloseable {

  /** How a tensor is stored; of a quantised one, what holds its weights exactly: F32. */
  WeightType type(String tensor);

  /**
   * Widens elements [from, from + length) of a tensor, row-major, to floats.
   *
   * @throws IllegalArgumentException if the model has no such tensor
   * @throws IndexOutOfBoundsException if the range is not inside the tensor
   */
  void read(String tensor, long from, float[] target, int offset, int length);

  /**
   * Rounds elements [from, from + length) to bfloat16, ties to even, and stores them at the start
   * of {@code target}, two bytes each, little-endian. A copy where they are stored so.
   *
   * @throws IllegalArgumentException if the model has no such tensor
   * @throws IndexOutOfBoundsException if the range is not inside the tensor, or the target too
   *     small
   */
  default void readBf16(String tensor, long from, MemorySegment target, long length) {
    final float[] chunk = new float[(int) Math.min(length, 1 << 13)];
    for (long done = 0; done < length; done += chunk.length) {
      final int count = (int) Math.min(chunk.length, length - done);
      read(tensor, from + done, chunk, 0, count);
      WeightType.BF16.write(chunk, 0, target, done, count);
    }
  }

  /**
   * The matrix as it is stored, for executors that keep it so or multiply its codes; empty if it is
   * not quantised. {@link #read} gives its weights like those of every tensor.
   *
   * @throws IllegalArgumentException if the model has no such tensor
   */
  default Optional<QuantizedMatrix> quantized(String tensor) {
    return Optional.empty();
  }

  /** What the files say of keys and values in eight bits, which an executor may keep so. */
  default EightBitKv eightBitKv() {
    return EightBitKv.NONE;
  }

  /** What the files hold that nothing here reads, in words for people; empty if that is nothing. */
  default String notRead() {
    return "";
  }

  /** Gives mapped memory back. Calling it again does nothing. */
  @Override
  void close();
}
