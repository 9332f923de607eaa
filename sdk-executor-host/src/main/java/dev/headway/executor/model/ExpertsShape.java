package dev.headway.executor.model;

import java.util.List;

/**
 * A mixture of experts in place of the feed-forward: a router gives each token a few of many small
 * feed-forwards, whose outputs are summed with the router's weights.
 *
 * @param experts of a layer, in [1, 1,024]
 * @param expertsPerToken how many of them a token is given, in [1, experts]
 * @param intermediateSize elements of an expert's inner state, >= 1
 * @param routing how they are chosen
 * @param sharedExperts experts that all tokens have beside, with weight 1: in files and here one
 *     feed-forward of so many times {@code intermediateSize}; may be 0
 * @param denseLayers ascending numbers, from 0, of the layers that have a feed-forward instead
 */
public record ExpertsShape(
    int experts,
    int expertsPerToken,
    int intermediateSize,
    ExpertRouting routing,
    int sharedExperts,
    List<Integer> denseLayers) {

  /** More than any model has; a config that asks for more is broken, and must not fill the heap. */
  private static final int MAX_EXPERTS = 1_024;

  /** Validates the components. */
  public ExpertsShape {
    if (experts < 1 || experts > MAX_EXPERTS) {
      throw new IllegalArgumentException(
          "num_experts must be in [1, " + MAX_EXPERTS + "]: num_experts=" + experts);
    }
    if (expertsPerToken < 1 || expertsPerToken > experts) {
      throw new IllegalArgumentException(
          "num_experts_per_tok must be in [1, num_experts]: num_experts_per_tok="
              + expertsPerToken
              + ", num_experts="
              + experts);
    }
    if (intermediateSize < 1 || sharedExperts < 0) {
      throw new IllegalArgumentException(
          "moe_intermediate_size must be >= 1 and n_shared_experts >= 0: moe_intermediate_size="
              + intermediateSize
              + ", n_shared_experts="
              + sharedExperts);
    }
    if ((long) intermediateSize * Math.max(1, sharedExperts) > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "moe_intermediate_size * n_shared_experts must be <= 2147483647: moe_intermediate_size="
              + intermediateSize
              + ", n_shared_experts="
              + sharedExperts);
    }
    requireGroups(experts, expertsPerToken, routing);
    denseLayers = List.copyOf(denseLayers);
    int before = -1;
    for (int layer : denseLayers) {
      if (layer <= before) {
        throw new IllegalArgumentException(
            "layers without experts must ascend from 0: denseLayers=" + denseLayers);
      }
      before = layer;
    }
  }

  private static void requireGroups(int experts, int expertsPerToken, ExpertRouting routing) {
    final int groups = routing.groups();
    if (groups == 1) {
      return;
    }
    final int size = experts / groups;
    if (experts % groups != 0 || size < 2 || expertsPerToken > routing.groupsPerToken() * size) {
      throw new IllegalArgumentException(
          "n_group must cut num_experts into equal groups of 2 or more, of which topk_group have"
              + " num_experts_per_tok experts: n_group="
              + groups
              + ", topk_group="
              + routing.groupsPerToken()
              + ", num_experts="
              + experts
              + ", num_experts_per_tok="
              + expertsPerToken);
    }
  }

  /** Whether a layer has experts. */
  public boolean isIn(int layer) {
    return !denseLayers.contains(layer);
  }

  /** Elements of the inner state of the shared experts; 0 if there are none. */
  public int sharedIntermediateSize() {
    return sharedExperts * intermediateSize;
  }

  /** Elements of the inner states of all experts that a token has, shared ones too. */
  public long intermediatePerToken() {
    return ((long) expertsPerToken + sharedExperts) * intermediateSize;
  }

  /** Whether experts are chosen with {@link ModelLayout#ROUTER_CORRECTION}. */
  public boolean hasCorrection() {
    return routing.scoring() == ExpertRouting.Scoring.SIGMOID;
  }
}
