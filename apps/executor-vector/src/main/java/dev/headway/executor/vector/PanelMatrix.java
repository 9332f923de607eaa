package dev.headway.executor.vector;

import dev.headway.executor.model.ModelWeights;
import java.lang.foreign.Arena;

/** A matrix whose outputs lie in panels of {@link Lanes#PANEL}. Any thread. */
interface PanelMatrix {

  /**
   * Copies tensors, side by side, with all workers: as they are stored, or as floats if they are
   * stored in different ways.
   *
   * @throws IllegalArgumentException if a weight is not finite
   */
  static PanelMatrix read(
      WorkerPool pool, Arena arena, ModelWeights source, int inputs, PackedMatrix.Part... parts) {
    return ScaledMatrix.fits(source, parts)
        ? ScaledMatrix.read(pool, arena, source, parts)
        : PackedMatrix.read(pool, arena, source, inputs, parts);
  }

  int inputs();

  /** Panels of {@link Lanes#PANEL} outputs. */
  int panels();

  /**
   * Sets {@code slab} to the weights of a panel from input {@code from} on, as floats, {@link
   * Lanes#PANEL} for each input.
   */
  void widen(int panel, int from, int count, float[] slab);
}
