package dev.headway.cuda.device;

/**
 * The weights of a product on the device, {@code [outputs][inputs]} in bf16, and its bias.
 *
 * @param address of the weights
 * @param bias of {@code [outputs]}, bf16; 0 if there is none
 * @param outputs rows: the width of what the product makes
 * @param inputs columns: the width of what it reads
 */
public record WeightMatrix(long address, long bias, int outputs, int inputs) {}
