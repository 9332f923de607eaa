package dev.headway.executor.model;

/**
 * What an adapter adds to the outputs of a matrix: {@code up (scale (down x))} (Hu et al. 2021).
 * The sums are floats in the order of the inputs, then of the rank, so that a row gets the same
 * bits in any batch. Immutable; any thread.
 */
public final class LoraDelta {

  private final int inputs;
  private final int outputs;
  private final int rank;
  private final float scale;
  private final float[] down;
  private final float[] up;

  /**
   * Takes the matrices.
   *
   * @param down {@code [inputs][rank]}
   * @param up {@code [rank][outputs]}
   */
  LoraDelta(int inputs, int outputs, int rank, float scale, float[] down, float[] up) {
    this.inputs = inputs;
    this.outputs = outputs;
    this.rank = rank;
    this.scale = scale;
    this.down = down;
    this.up = up;
  }

  /** Elements between the two. */
  public int rank() {
    return rank;
  }

  /** Inputs of the matrix. */
  public int inputs() {
    return inputs;
  }

  /** A weight of the first matrix: of an element between the two, and an input. */
  public float down(int element, int input) {
    return down[input * rank + element];
  }

  /** A weight of the second matrix: of an output, and an element between the two. */
  public float up(int output, int element) {
    return up[element * outputs + output];
  }

  /** Outputs of the matrix. */
  public int outputs() {
    return outputs;
  }

  /** Sets {@code low[to, to + rank)} to {@code down x}, of an x that begins at {@code from}. */
  public void reduce(float[] x, int from, float[] low, int to) {
    for (int j = 0; j < rank; j++) {
      low[to + j] = 0;
    }
    for (int i = 0; i < inputs; i++) {
      final float value = x[from + i];
      final int row = i * rank;
      for (int j = 0; j < rank; j++) {
        low[to + j] += value * down[row + j];
      }
    }
  }

  /**
   * Adds outputs {@code [first, first + count)} of {@code up (scale low)} to {@code y} from {@code
   * to} on.
   */
  public void expand(float[] low, int from, float[] y, int to, int first, int count) {
    for (int j = 0; j < rank; j++) {
      final float value = scale * low[from + j];
      final int row = j * outputs + first;
      for (int i = 0; i < count; i++) {
        y[to + i] += value * up[row + i];
      }
    }
  }
}
