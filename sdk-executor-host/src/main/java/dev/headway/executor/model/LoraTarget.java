package dev.headway.executor.model;

/** Matrices of a layer that an adapter can change. */
public enum LoraTarget {
  /** Queries. */
  QUERY(ModelLayout.Q_PROJ),
  /** Keys. */
  KEY(ModelLayout.K_PROJ),
  /** Values. */
  VALUE(ModelLayout.V_PROJ),
  /** What attention answers. */
  OUTPUT(ModelLayout.O_PROJ),
  /** Gate of a feed-forward that is not an expert's. */
  GATE(ModelLayout.GATE_PROJ),
  /** Its input. */
  UP(ModelLayout.UP_PROJ),
  /** Its output. */
  DOWN(ModelLayout.DOWN_PROJ);

  private final String tensor;

  LoraTarget(String tensor) {
    this.tensor = tensor;
  }

  /** The matrix in {@link ModelLayout}. */
  String tensor() {
    return tensor;
  }
}
