package dev.headway.cuda.device;

import org.jspecify.annotations.Nullable;

/**
 * The weights of a product on the device, {@code [outputs][inputs]}, and its bias.
 *
 * @param address of the weights: bf16, or e4m3 codes if there are scales
 * @param bias of {@code [outputs]}, bf16; 0 if there is none
 * @param outputs rows: the width of what the product makes
 * @param inputs columns: the width of what it reads
 * @param scales of codes; null if the weights are bf16
 * @param rounded how inputs are rounded before they are multiplied; null if they stay as they are
 */
public record WeightMatrix(
    long address,
    long bias,
    int outputs,
    int inputs,
    @Nullable WeightScales scales,
    @Nullable RoundedInputs rounded)
    implements ProductWeights {

  /** Weights in bf16. */
  public WeightMatrix(long address, long bias, int outputs, int inputs) {
    this(address, bias, outputs, inputs, null);
  }

  /** Weights whose inputs stay as they are. */
  public WeightMatrix(
      long address, long bias, int outputs, int inputs, @Nullable WeightScales scales) {
    this(address, bias, outputs, inputs, scales, null);
  }
}
