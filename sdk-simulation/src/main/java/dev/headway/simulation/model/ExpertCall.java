package dev.headway.simulation.model;

/**
 * The routed experts of a layer, on one device.
 *
 * @param spec the experts of the whole model
 * @param expertsHere routed experts on the device
 * @param hiddenSize width of the residual stream
 * @param intermediateHere inner width of an expert on the device
 * @param format of the weights
 */
public record ExpertCall(
    ExpertsSpec spec, int expertsHere, int hiddenSize, int intermediateHere, WeightFormat format) {

  /** The share of a layer's routed experts, by their weights, that the device has. */
  public double share() {
    return (double) expertsHere / spec.experts() * intermediateHere / spec.intermediateSize();
  }

  /** Operations of a layer for {@code tokens} tokens; a multiply-add is two. */
  public double operations(double tokens) {
    final double share = (double) expertsHere / spec.experts();
    return 2 * tokens * spec.perToken() * share * 3 * hiddenSize * intermediateHere;
  }

  /** Bytes of the weights that {@code tokens} tokens are expected to touch in a layer. */
  public double touchedBytes(double tokens) {
    final double here = spec.touched(tokens) * expertsHere / spec.experts();
    return here * 3 * hiddenSize * intermediateHere * format.bytes();
  }
}
