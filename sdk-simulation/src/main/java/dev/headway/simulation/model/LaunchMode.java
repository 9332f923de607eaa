package dev.headway.simulation.model;

/** How the host starts the kernels of a step. */
public enum LaunchMode {
  /** As graphs that were captured at start: one launch, whatever there is in the graph. */
  CUDA_GRAPHS,
  /** One by one, vLLM's {@code --enforce-eager}; no graph takes memory. */
  EAGER
}
