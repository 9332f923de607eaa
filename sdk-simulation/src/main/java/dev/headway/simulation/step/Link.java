package dev.headway.simulation.step;

/**
 * The link between the devices of a server, as it was measured.
 *
 * @param bytesPerSecond that a device sends, > 0; what is achieved, not a peak
 * @param hopNs until the first byte is there, >= 0
 */
public record Link(double bytesPerSecond, double hopNs) {

  private static final double NS_PER_SECOND = 1e9;

  /** Validates the components. */
  public Link {
    if (!(bytesPerSecond > 0) || !(hopNs >= 0)) {
      throw new IllegalArgumentException(
          "bytesPerSecond must be > 0 and hopNs >= 0: bytesPerSecond="
              + bytesPerSecond
              + ", hopNs="
              + hopNs);
    }
  }

  /**
   * An all-reduce of {@code bytes} bytes on a ring: {@code 2 (d - 1)} hops of {@code bytes / d}
   * each, half of them to add up, half to spread (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005).
   */
  public double allReduceNs(double bytes, int devices) {
    return 2.0 * (devices - 1) * (hopNs + bytes / devices / bytesPerSecond * NS_PER_SECOND);
  }
}
