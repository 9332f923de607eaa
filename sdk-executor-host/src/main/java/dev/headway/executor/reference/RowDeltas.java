package dev.headway.executor.reference;

import dev.headway.executor.model.LoraDelta;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.LoraWeights;

/**
 * Adds what the adapters of rows make of a layer's inputs, to what is stored already, as the CUDA
 * kernels do: rounded before and afterwards. One thread.
 */
final class RowDeltas {

  private final Precision precision;
  private Rows rows = new Rows();
  private int layer;
  private float[] low = {};

  RowDeltas(Precision precision) {
    this.precision = precision;
  }

  /** Turns to the rows of a step. */
  void begin(Rows step) {
    rows = step;
  }

  /** Turns to a layer. */
  void layer(int index) {
    layer = index;
  }

  /**
   * Adds to outputs, for rows that have an adapter which changes the matrix.
   *
   * @param inputs of a row in {@code x}
   * @param outputs of a row in {@code y}
   */
  void add(LoraTarget target, float[] x, int inputs, float[] y, int outputs) {
    for (int row = 0; rows.hasAdapters() && row < rows.count(); row++) {
      final LoraWeights adapter = rows.adapter(row);
      final LoraDelta delta = adapter == null ? null : adapter.delta(layer, target);
      if (delta != null) {
        if (low.length < delta.rank()) {
          low = new float[delta.rank()];
        }
        delta.reduce(x, row * inputs, low, 0);
        round(y, row * outputs, outputs);
        delta.expand(low, 0, y, row * outputs, 0, outputs);
        round(y, row * outputs, outputs);
      }
    }
  }

  private void round(float[] y, int from, int count) {
    for (int i = from; i < from + count; i++) {
      y[i] = precision.round(y[i]);
    }
  }
}
