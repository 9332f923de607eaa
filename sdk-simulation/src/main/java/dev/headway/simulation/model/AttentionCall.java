package dev.headway.simulation.model;

/**
 * The attention kernel of layers that are alike, on one device.
 *
 * @param layers layers that run it
 * @param windowTokens tokens that a token attends to at most; 0 for all
 * @param heads query heads on the device
 * @param kvHeads heads of keys and values on the device; 1 for latent attention
 * @param headDim width of a head of keys
 * @param multiplyAddsPerPair of one query token with one token of context, over the heads
 * @param kvBytesPerToken bytes that a token has in the cache of a layer on this device
 */
public record AttentionCall(
    int layers,
    int windowTokens,
    int heads,
    int kvHeads,
    int headDim,
    long multiplyAddsPerPair,
    double kvBytesPerToken) {

  /** The tokens of a context that are attended to. */
  public double visible(double context) {
    return windowTokens == 0 ? context : Math.min(context, windowTokens);
  }
}
