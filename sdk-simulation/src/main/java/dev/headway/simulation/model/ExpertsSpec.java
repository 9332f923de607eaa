package dev.headway.simulation.model;

/**
 * The experts of a layer.
 *
 * @param layers layers that have experts
 * @param experts routed experts of a layer
 * @param perToken experts that a token is routed to
 * @param intermediateSize inner width of a routed expert
 * @param sharedIntermediateSize inner width of all shared experts together; 0 if there are none
 * @param routingSkew how unevenly tokens choose, >= 0: the expert at rank {@code r} from 1 on is
 *     chosen in proportion to {@code r^-routingSkew}; 0 if all are as likely
 */
public record ExpertsSpec(
    int layers,
    int experts,
    int perToken,
    int intermediateSize,
    int sharedIntermediateSize,
    double routingSkew) {

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
    if (!(routingSkew >= 0) || Double.isInfinite(routingSkew)) {
      throw new IllegalArgumentException(
          "routingSkew must be >= 0 and finite: routingSkew=" + routingSkew);
    }
  }

  /** All experts are as likely. */
  public ExpertsSpec(
      int layers, int experts, int perToken, int intermediateSize, int sharedIntermediateSize) {
    this(layers, experts, perToken, intermediateSize, sharedIntermediateSize, 0);
  }

  /** Inner width of all experts of a token together, shared ones too. */
  public long widthPerToken() {
    return (long) perToken * intermediateSize + sharedIntermediateSize;
  }

  /** The same experts, chosen with another skew. */
  public ExpertsSpec withRoutingSkew(double skew) {
    return new ExpertsSpec(
        layers, experts, perToken, intermediateSize, sharedIntermediateSize, skew);
  }

  /**
   * Experts of a layer that a step of {@code tokens} tokens is expected to touch when tokens choose
   * independently of each other: the sum of {@code 1 - (1 - p)^t} over the experts, where {@code p}
   * is how likely a token chooses it; without a skew {@code E (1 - (1 - k/E)^t)}. Allocates
   * nothing; takes a power for each expert where there is a skew.
   */
  public double touched(double tokens) {
    if (routingSkew == 0) {
      return experts * (1 - Math.pow(1 - (double) perToken / experts, tokens));
    }
    double rest = 0; // of the weights from a rank on
    for (int rank = experts; rank >= 1; rank--) {
      rest += weight(rank);
    }
    int sure = 0; // experts that every token has: none can be likelier than that
    while (sure < perToken && (perToken - sure) * weight(sure + 1) >= rest) {
      rest -= weight(++sure);
    }
    double touched = sure;
    for (int rank = sure + 1; rank <= experts; rank++) {
      final double likely = (perToken - sure) * weight(rank) / rest;
      touched += 1 - Math.pow(1 - Math.min(1, likely), tokens);
    }
    return touched;
  }

  private double weight(int rank) {
    return Math.pow(rank, -routingSkew);
  }
}
