package dev.headway.executor.model;

/**
 * How a router makes a token's weights of its logits, one logit per expert.
 *
 * @param scoring what a logit becomes
 * @param renormalise whether the chosen weights are divided by their sum, before the factor
 * @param scalingFactor of every weight, > 0
 * @param groups into which the experts are cut, in their order and of equal size; a divisor of the
 *     experts
 * @param groupsPerToken how many of them a token may choose from, in [1, groups]: those whose two
 *     best experts have the largest sum
 */
public record ExpertRouting(
    Scoring scoring, boolean renormalise, double scalingFactor, int groups, int groupsPerToken) {

  /** What a router's logit becomes. */
  public enum Scoring {
    /** A part of the softmax over all experts; experts are chosen by their logits. */
    SOFTMAX,
    /**
     * The logistic function; experts are chosen by that plus a correction of the expert, {@link
     * ModelLayout#ROUTER_CORRECTION}, which has no part in the weight.
     */
    SIGMOID
  }

  /** Validates the components. */
  public ExpertRouting {
    if (!(scalingFactor > 0) || Double.isInfinite(scalingFactor)) {
      throw new IllegalArgumentException(
          "routed_scaling_factor must be > 0 and finite: routed_scaling_factor=" + scalingFactor);
    }
    if (groups < 1 || groupsPerToken < 1 || groupsPerToken > groups) {
      throw new IllegalArgumentException(
          "topk_group must be in [1, n_group]: topk_group="
              + groupsPerToken
              + ", n_group="
              + groups);
    }
  }

  /** All experts are one group, and weights stay as they are. */
  public ExpertRouting(Scoring scoring, boolean renormalise) {
    this(scoring, renormalise, 1, 1, 1);
  }
}
