package dev.headway.executor.model;

/**
 * Which matrices of a layer have a bias.
 *
 * @param qkv queries, keys and values
 * @param output attention's output
 * @param feedForward gate, input and output of the feed-forward
 */
public record ProjectionBiases(boolean qkv, boolean output, boolean feedForward) {

  /** No matrix has one. */
  public static final ProjectionBiases NONE = new ProjectionBiases(false, false, false);
}
