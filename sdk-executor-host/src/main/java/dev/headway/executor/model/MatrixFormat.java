package dev.headway.executor.model;

import org.jspecify.annotations.Nullable;

/** How files hold the matrix of a linear layer that is quantised. Immutable. */
interface MatrixFormat {

  /**
   * Takes the tensors of a matrix out of its file.
   *
   * @return null if the file holds the weight as it would without quantisation
   * @throws ModelFormatException if one is missing, or is not as it must be
   */
  @Nullable QuantizedMatrix open(MatrixFile file);
}
