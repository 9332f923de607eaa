package dev.headway.simulation.model;

/**
 * A matrix multiplication of a forward pass on one device: activations {@code [rows, k]} times
 * weights {@code [k, n]}.
 *
 * @param name vLLM's name of the layer: {@code qkv_proj}, {@code down_proj}
 * @param n columns of the result
 * @param k width of the input
 * @param times how often a step runs it, over all layers
 * @param rows what its rows are
 * @param format of its weights
 */
public record MatMul(String name, int n, int k, int times, Rows rows, WeightFormat format) {

  /** What the rows of a multiplication are. */
  public enum Rows {
    /** Every token of the step. */
    TOKENS,
    /** The tokens from which something is sampled. */
    SAMPLED
  }

  /** Whether it belongs to the block of routed experts: their router, and experts all share. */
  public boolean isInExpertBlock() {
    return name.equals(ForwardPass.ROUTER) || name.startsWith(ForwardPass.SHARED_EXPERTS);
  }

  /** Operations of one run over {@code rowCount} rows; a multiply-add is two. */
  public double operations(double rowCount) {
    return 2 * rowCount * n * k;
  }

  /** Bytes of its weights. */
  public double weightBytes() {
    return (double) n * k * format.bytes();
  }
}
