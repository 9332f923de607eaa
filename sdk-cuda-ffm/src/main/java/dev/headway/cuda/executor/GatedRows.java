package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.kernel.RowKernels;
import dev.headway.executor.model.Activation;

/** What the gates of a feed-forward and its inputs make, by the activation of a family. */
final class GatedRows {
  private final RowKernels rows;
  private final Activation activation;

  GatedRows(RowKernels rows, Activation activation) {
    this.rows = rows;
    this.activation = activation;
  }

  /**
   * Enqueues it, for any number of rows.
   *
   * @param inner {@code [count][width]}
   * @param gateUp {@code [count][2 * width]}, gates first
   */
  void enqueue(CudaStream stream, long inner, long gateUp, int count, int width) {
    for (int first = 0; first < count; first += RowKernels.MOST_SWIGLU_ROWS) {
      final int some = Math.min(RowKernels.MOST_SWIGLU_ROWS, count - first);
      final long out = inner + 2L * first * width;
      final long in = gateUp + 4L * first * width;
      switch (activation) {
        case SILU -> rows.swiglu(stream, out, in, some, width);
        case GELU_TANH -> rows.geglu(stream, out, in, some, width);
        case CLAMPED_SILU -> rows.swigluClamped(stream, out, in, some, width);
      }
    }
  }
}
