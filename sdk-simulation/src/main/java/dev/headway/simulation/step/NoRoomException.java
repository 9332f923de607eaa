package dev.headway.simulation.step;

/** The weights of a model leave no room for a KV cache on a device. */
public final class NoRoomException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final double weightBytes;
  private final double usableBytes;

  NoRoomException(double weightBytes, double usableBytes, String message) {
    super(message);
    this.weightBytes = weightBytes;
    this.usableBytes = usableBytes;
  }

  /** What the weights take on each device. */
  public double weightBytes() {
    return weightBytes;
  }

  /** What may be used of each device's memory. */
  public double usableBytes() {
    return usableBytes;
  }
}
