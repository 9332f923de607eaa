package dev.headway.simulation.model;

/**
 * The experts of a layer.
 *
 * @param layers layers that have experts
 * @param experts routed experts of a layer
 * @param perToken experts that a token is routed to
 * @param intermediateSize inner width of a routed expert
 * @param sharedIntermediateSize inner width of all shared experts together; 0 if there are none
 */
public record ExpertsSpec(
    int layers, int experts, int perToken, int intermediateSize, int sharedIntermediateSize) {

  /** Validates the components. */
  public ExpertsSpec {
    if (layers <= 0 || experts <= 0 || perToken <= 0 || intermediateSize <= 0) {
      throw new IllegalArgumentException(
          "layers, experts, perToken and intermediateSize must be > 0: layers="
              + layers
              + ", experts="
              + experts
              + ", perToken="
              + perToken
              + ", intermediateSize="
              + intermediateSize);
    }
    if (perToken > experts || sharedIntermediateSize < 0) {
      throw new IllegalArgumentException(
          "perToken must be <= experts and sharedIntermediateSize >= 0: perToken="
              + perToken
              + ", experts="
              + experts
              + ", sharedIntermediateSize="
              + sharedIntermediateSize);
    }
  }

  /**
   * Experts of a layer that a step of {@code tokens} tokens is expected to touch when each token
   * picks its experts at random: {@code E (1 - (1 - k/E)^t)}.
   */
  public double touched(double tokens) {
    return experts * (1 - Math.pow(1 - (double) perToken / experts, tokens));
  }
}
