package dev.headway.executor.model;

import java.util.List;

/**
 * A tensor's name and shape, row-major. The matrix of a linear layer is [outputs, inputs].
 *
 * @param name as in a safetensors file of transformers
 * @param shape sizes of the dimensions, the slowest first
 */
public record TensorSpec(String name, List<Integer> shape) {

  /** Copies the shape. */
  public TensorSpec {
    shape = List.copyOf(shape);
  }

  TensorSpec(String name, Integer... shape) {
    this(name, List.of(shape));
  }

  /** Elements over all dimensions. */
  public long elements() {
    long elements = 1;
    for (int size : shape) {
      elements *= size;
    }
    return elements;
  }
}
