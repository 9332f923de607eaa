package dev.headway.executor.vector;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** How many floats are computed side by side. It changes the speed and no result. */
final class Lanes {

  /** Outputs of a matrix that are computed together: four vectors of the widest kind. */
  static final int PANEL = 64;

  /** The machine's vectors, of 16 floats at most. */
  static final VectorSpecies<Float> FLOATS =
      FloatVector.SPECIES_PREFERRED.length() <= PANEL / 4
          ? FloatVector.SPECIES_PREFERRED
          : FloatVector.SPECIES_512;

  /** As many ints. */
  static final VectorSpecies<Integer> INTS = FLOATS.withLanes(int.class).check(int.class);

  /** Floats in a vector, a power of two. */
  static final int COUNT = FLOATS.length();

  /** Floats in the widest vector: what arrays and segments that are read in vectors have spare. */
  static final int WIDEST = PANEL / 4;

  private Lanes() {}

  /** Rounds up to whole panels. */
  static int padded(int elements) {
    return Math.ceilDiv(elements, PANEL) * PANEL;
  }
}
