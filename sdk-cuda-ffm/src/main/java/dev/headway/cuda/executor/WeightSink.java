package dev.headway.cuda.executor;

import dev.headway.executor.model.QuantizedMatrix;
import java.util.function.Supplier;

/**
 * Takes what {@link WeightUpload} has found a place for; places are bytes from the first one on.
 */
interface WeightSink {
  /** Takes nothing: for who wants to know the places. */
  WeightSink NONE =
      new WeightSink() {
        @Override
        public void bf16(String tensor, long at, long elements) {}

        @Override
        public void codes(String tensor, QuantizedMatrix matrix, long at) {}

        @Override
        public void floats(long at, int count, Supplier<float[]> values) {}
      };

  /** Elements of a tensor, rounded to bf16. */
  void bf16(String tensor, long at, long elements);

  /**
   * All codes of a matrix, as they are.
   *
   * @throws IllegalArgumentException if one is no number
   */
  void codes(String tensor, QuantizedMatrix matrix, long at);

  /** Floats; asked for only where they are wanted. */
  void floats(long at, int count, Supplier<float[]> values);
}
