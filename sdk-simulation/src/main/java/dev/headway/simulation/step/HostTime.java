package dev.headway.simulation.step;

/**
 * What the host adds to a step that the device does not hide: planning, preparing inputs, sampling,
 * detokenising, sending.
 *
 * @param stepNs for every step, >= 0
 * @param requestNs for every request in it, >= 0
 */
public record HostTime(double stepNs, double requestNs) {

  /** A host that takes no time. */
  public static final HostTime NONE = new HostTime(0, 0);

  /** Validates the components. */
  public HostTime {
    if (!(stepNs >= 0 && requestNs >= 0)) {
      throw new IllegalArgumentException(
          "stepNs and requestNs must be >= 0: stepNs=" + stepNs + ", requestNs=" + requestNs);
    }
  }

  /** The host's part of a step of so many requests. */
  public double ns(int requests) {
    return stepNs + requests * requestNs;
  }
}
