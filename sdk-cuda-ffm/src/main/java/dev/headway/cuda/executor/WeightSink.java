package dev.headway.cuda.executor;

import dev.headway.executor.model.Mxfp4Codes;
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
        public void mxfp4(String tensor, Mxfp4Codes matrix, long at) {}

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

  /**
   * A matrix in MXFP4, in the order of {@link dev.headway.cuda.kernel.Mxfp4Layout}.
   *
   * @throws IllegalArgumentException if a scale is beyond what bf16 holds
   */
  void mxfp4(String tensor, Mxfp4Codes matrix, long at);

  /** Floats; asked for only where they are wanted. */
  void floats(long at, int count, Supplier<float[]> values);
}
