package dev.headway.executor.vector;

import dev.headway.executor.model.LoraDelta;
import dev.headway.executor.model.LoraTarget;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.reference.Rows;
import org.jspecify.annotations.Nullable;

/**
 * What the adapters of a step's rows make of a layer's inputs. The engine thread turns it to a step
 * and a layer; workers have a row each, or a panel of outputs after all rows were reduced.
 */
final class AdapterRows {

  private Rows rows = new Rows();
  private int layer;
  private int most;

  /** Between the two matrices of a delta: two places of the largest rank for each row. */
  private float[] low = {};

  /** Turns to a step. */
  void begin(Rows step) {
    rows = step;
    most = 0;
    for (int row = 0; step.hasAdapters() && row < step.count(); row++) {
      final LoraWeights adapter = step.adapter(row);
      most = Math.max(most, adapter == null ? 0 : adapter.rank());
    }
    final int needed = Math.multiplyExact(2 * most, step.count());
    if (low.length < needed) {
      low = new float[needed];
    }
  }

  /** Turns to a layer. */
  void layer(int index) {
    layer = index;
  }

  /** Whether any row of the step has an adapter. */
  boolean areThere() {
    return rows.hasAdapters();
  }

  private @Nullable LoraDelta delta(int row, LoraTarget target) {
    final LoraWeights adapter = rows.adapter(row);
    return adapter == null ? null : adapter.delta(layer, target);
  }

  /** Adds to all outputs of a row; x and y begin where said. */
  void add(int row, LoraTarget target, float[] x, int from, float[] y, int to) {
    final LoraDelta delta = delta(row, target);
    if (delta != null) {
      delta.reduce(x, from, low, place(row, target));
      delta.expand(low, place(row, target), y, to, 0, delta.outputs());
    }
  }

  /** Prepares {@link #expand} for a row. */
  void reduce(int row, LoraTarget target, float[] x, int from) {
    final LoraDelta delta = delta(row, target);
    if (delta != null) {
      delta.reduce(x, from, low, place(row, target));
    }
  }

  /** Adds to a panel of the outputs of all rows. */
  void expand(LoraTarget target, int panel, Activations y) {
    for (int row = 0; row < rows.count(); row++) {
      final LoraDelta delta = delta(row, target);
      if (delta != null) {
        final int first = panel * Lanes.PANEL;
        final int count = Math.min(Lanes.PANEL, delta.outputs() - first);
        delta.expand(low, place(row, target), y.values(), y.at(row) + first, first, count);
      }
    }
  }

  /** Gates and inputs of a feed-forward are there at the same time. */
  private int place(int row, LoraTarget target) {
    return (2 * row + (target == LoraTarget.UP ? 1 : 0)) * most;
  }
}
