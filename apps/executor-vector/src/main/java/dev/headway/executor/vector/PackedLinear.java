package dev.headway.executor.vector;

import jdk.incubator.vector.FloatVector;

/**
 * A linear layer, {@code y = W x + b}, panel by panel: a panel is computed for all rows of the
 * batch, so that a step reads every weight once.
 *
 * <p>The weights of a panel are widened to floats a slab at a time, which stays in the first-level
 * cache while the rows go by, and each output of each row is one chain of fused multiply-adds:
 * {@code fma(w[k], x[k], ...fma(w[0], x[0], b))}.
 *
 * @param bias one per output, padded to whole panels; zeros if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PackedLinear(PanelMatrix weights, float[] bias) {

  /** Inputs of a slab: 16 KiB of floats, half of a first-level cache of 32 KiB. */
  private static final int SLAB_INPUTS = 64;

  /** Scratch memory of a worker. */
  static float[] newSlab() {
    return new float[SLAB_INPUTS * Lanes.PANEL];
  }

  int panels() {
    return weights.panels();
  }

  /** Multiply-adds of all panels. */
  long work(int rows) {
    return (long) rows * weights.inputs() * weights.panels() * Lanes.PANEL;
  }

  /**
   * Sets the outputs of a panel, rows [0, rows) of {@code y}, for those of {@code x}. Reads no
   * weight for no row, as when a step samples nothing.
   */
  void apply(int panel, Activations x, int rows, Activations y, float[] slab) {
    apply(panel, x, 0, rows, y, slab);
  }

  /** The same of rows [from, to). A row's bits do not depend on how many there are. */
  void apply(int panel, Activations x, int from, int to, Activations y, float[] slab) {
    if (from == to) {
      return;
    }
    final int column = panel * Lanes.PANEL;
    for (int row = from; row < to; row++) {
      System.arraycopy(bias, column, y.values(), y.at(row) + column, Lanes.PANEL);
    }
    for (int input = 0; input < weights.inputs(); input += SLAB_INPUTS) {
      final int count = Math.min(SLAB_INPUTS, weights.inputs() - input);
      weights.widen(panel, input, count, slab);
      int row = from;
      for (; row + 4 <= to; row += 4) {
        addToFour(slab, count, x, x.at(row) + input, y, y.at(row) + column);
      }
      for (; row < to; row++) {
        addToOne(slab, count, x.values(), x.at(row) + input, y.values(), y.at(row) + column);
      }
    }
  }

  /** One row, four vectors of outputs at a time: as many chains as the latency of one needs. */
  private static void addToOne(float[] w, int count, float[] x, int from, float[] y, int to) {
    final int lanes = Lanes.COUNT;
    for (int i = 0; i < Lanes.PANEL; i += 4 * lanes) {
      FloatVector a = load(y, to + i);
      FloatVector b = load(y, to + i + lanes);
      FloatVector c = load(y, to + i + 2 * lanes);
      FloatVector d = load(y, to + i + 3 * lanes);
      for (int k = 0; k < count; k++) {
        final int at = k * Lanes.PANEL + i;
        final FloatVector input = FloatVector.broadcast(Lanes.FLOATS, x[from + k]);
        a = load(w, at).fma(input, a);
        b = load(w, at + lanes).fma(input, b);
        c = load(w, at + 2 * lanes).fma(input, c);
        d = load(w, at + 3 * lanes).fma(input, d);
      }
      a.intoArray(y, to + i);
      b.intoArray(y, to + i + lanes);
      c.intoArray(y, to + i + 2 * lanes);
      d.intoArray(y, to + i + 3 * lanes);
    }
  }

  /** Four rows, two vectors of outputs at a time: eight chains, and a weight is used four times. */
  private static void addToFour(
      float[] w, int count, Activations inputs, int from, Activations outputs, int to) {
    final int lanes = Lanes.COUNT;
    final float[] x = inputs.values();
    final int x1 = from + inputs.stride();
    final int x2 = x1 + inputs.stride();
    final int x3 = x2 + inputs.stride();
    final float[] y = outputs.values();
    for (int i = 0; i < Lanes.PANEL; i += 2 * lanes) {
      final int y0 = to + i;
      final int y1 = y0 + outputs.stride();
      final int y2 = y1 + outputs.stride();
      final int y3 = y2 + outputs.stride();
      FloatVector a0 = load(y, y0);
      FloatVector b0 = load(y, y0 + lanes);
      FloatVector a1 = load(y, y1);
      FloatVector b1 = load(y, y1 + lanes);
      FloatVector a2 = load(y, y2);
      FloatVector b2 = load(y, y2 + lanes);
      FloatVector a3 = load(y, y3);
      FloatVector b3 = load(y, y3 + lanes);
      for (int k = 0; k < count; k++) {
        final FloatVector wa = load(w, k * Lanes.PANEL + i);
        final FloatVector wb = load(w, k * Lanes.PANEL + i + lanes);
        final FloatVector in0 = FloatVector.broadcast(Lanes.FLOATS, x[from + k]);
        a0 = wa.fma(in0, a0);
        b0 = wb.fma(in0, b0);
        final FloatVector in1 = FloatVector.broadcast(Lanes.FLOATS, x[x1 + k]);
        a1 = wa.fma(in1, a1);
        b1 = wb.fma(in1, b1);
        final FloatVector in2 = FloatVector.broadcast(Lanes.FLOATS, x[x2 + k]);
        a2 = wa.fma(in2, a2);
        b2 = wb.fma(in2, b2);
        final FloatVector in3 = FloatVector.broadcast(Lanes.FLOATS, x[x3 + k]);
        a3 = wa.fma(in3, a3);
        b3 = wb.fma(in3, b3);
      }
      a0.intoArray(y, y0);
      b0.intoArray(y, y0 + lanes);
      a1.intoArray(y, y1);
      b1.intoArray(y, y1 + lanes);
      a2.intoArray(y, y2);
      b2.intoArray(y, y2 + lanes);
      a3.intoArray(y, y3);
      b3.intoArray(y, y3 + lanes);
    }
  }

  private static FloatVector load(float[] values, int at) {
    return FloatVector.fromArray(Lanes.FLOATS, values, at);
  }
}
