package dev.headway.simulation.model;

/**
 * How a model is spread over devices.
 *
 * @param tensor devices that share every layer
 * @param pipeline groups of layers, each on its own devices
 * @param experts devices that share the experts: 1 splits each expert over the tensor devices, more
 *     gives each of them whole experts
 */
public record Parallelism(int tensor, int pipeline, int experts) {

  /** One device. */
  public static final Parallelism NONE = new Parallelism(1, 1, 1);

  /** Validates the components. */
  public Parallelism {
    if (tensor <= 0 || pipeline <= 0 || experts <= 0) {
      throw new IllegalArgumentException(
          "tensor, pipeline and experts must be > 0: tensor="
              + tensor
              + ", pipeline="
              + pipeline
              + ", experts="
              + experts);
    }
  }

  /** Tensor parallelism alone. */
  public static Parallelism tensor(int devices) {
    return new Parallelism(devices, 1, 1);
  }

  /** Devices in all. */
  public int devices() {
    return tensor * pipeline;
  }
}
