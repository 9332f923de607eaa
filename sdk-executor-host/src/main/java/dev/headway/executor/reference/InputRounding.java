package dev.headway.executor.reference;

import dev.headway.executor.model.E4m3;
import dev.headway.executor.model.InputQuantization;

/** Rounds the inputs of quantised matrices to eight-bit floats, as a checkpoint says. */
final class InputRounding {

  private InputRounding() {}

  /**
   * Returns rows of inputs, rounded; {@code x} itself if they stay as they are.
   *
   * @param x rows of {@code columns} elements; not changed
   */
  static float[] rounded(InputQuantization how, float[] x, int rows, int columns) {
    return switch (how) {
      case InputQuantization.None none -> x;
      case InputQuantization.Static fixed -> {
        final float[] rounded = new float[rows * columns];
        round(x, 0, rounded.length, fixed.scale(), rounded);
        yield rounded;
      }
      case InputQuantization.PerToken token -> byGroup(x, rows, columns, columns);
      case InputQuantization.PerGroup group -> byGroup(x, rows, columns, group.columns());
    };
  }

  private static float[] byGroup(float[] x, int rows, int columns, int group) {
    final float[] rounded = new float[rows * columns];
    for (int row = 0; row < rows; row++) {
      for (int column = 0; column < columns; column += group) {
        final int from = row * columns + column;
        final int to = row * columns + Math.min(columns, column + group);
        round(x, from, to, InputQuantization.scaleOf(largest(x, from, to)), rounded);
      }
    }
    return rounded;
  }

  private static float largest(float[] x, int from, int to) {
    float largest = 0;
    for (int i = from; i < to; i++) {
      largest = Math.max(largest, Math.abs(x[i]));
    }
    return largest;
  }

  private static void round(float[] x, int from, int to, float scale, float[] rounded) {
    for (int i = from; i < to; i++) {
      rounded[i] = E4m3.toFloat(E4m3.toBits(x[i] / scale)) * scale;
    }
  }
}
