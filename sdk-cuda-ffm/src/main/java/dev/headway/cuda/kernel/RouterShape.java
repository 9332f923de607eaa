package dev.headway.cuda.kernel;

/**
 * How rows get their experts, as {@link ExpertKernels} take it.
 *
 * @param experts of a layer, at most {@link ExpertKernels#MOST_EXPERTS}
 * @param perRow experts of a row
 * @param sigmoid whether scores are logistic and corrected, not parts of a softmax
 * @param renormalise whether weights are divided by their sum
 * @param groups of experts, of equal size
 * @param groupsPerRow groups that a row may choose from
 * @param factor of each weight
 */
public record RouterShape(
    int experts,
    int perRow,
    boolean sigmoid,
    boolean renormalise,
    int groups,
    int groupsPerRow,
    float factor) {

  /** Refuses what the kernels have no room for. */
  public RouterShape {
    Shapes.requireIn("route_tokens", "experts", experts, 1, ExpertKernels.MOST_EXPERTS);
    Shapes.requireIn("route_tokens", "perRow", perRow, 1, experts);
    Shapes.requireIn("route_tokens", "groups", groups, 1, Math.max(1, experts / 2));
    Shapes.requireIn("route_tokens", "groupsPerRow", groupsPerRow, 1, groups);
  }
}
