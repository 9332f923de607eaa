package dev.headway.simulation.model;

/**
 * How a model is spread over devices.
 *
 * @param tensor devices that share every layer
 * @param pipeline groups of layers, each on its own devices
 * @param experts 1 splits each expert over the devices that share experts, those of all data
 *     parallel ranks; more gives each of them whole experts
 * @param data ranks that have requests of their own; they share the experts, if there are some, and
 *     have the rest of the model each
 */
public record Parallelism(int tensor, int pipeline, int experts, int data) {

  /** One device. */
  public static final Parallelism NONE = new Parallelism(1, 1, 1);

  /** Validates the components. */
  public Parallelism {
    if (tensor <= 0 || pipeline <= 0 || experts <= 0 || data <= 0) {
      throw new IllegalArgumentException(
          "tensor, pipeline, experts and data must be > 0: tensor="
              + tensor
              + ", pipeline="
              + pipeline
              + ", experts="
              + experts
              + ", data="
              + data);
    }
  }

  /** One rank. */
  public Parallelism(int tensor, int pipeline, int experts) {
    this(tensor, pipeline, experts, 1);
  }

  /** Tensor parallelism alone. */
  public static Parallelism tensor(int devices) {
    return new Parallelism(devices, 1, 1);
  }

  /** Devices that share the experts of a layer. */
  public int expertDevices() {
    return tensor * data;
  }

  /** Devices in all. */
  public int devices() {
    return tensor * pipeline * data;
  }
}
