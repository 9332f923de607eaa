package dev.headway.cuda.device;

/**
 * Weights in MXFP4, with their scales in the order in which products read them: {@code mxfp4.cuh}.
 *
 * @param address of the first record
 * @param bias of {@code [outputs]}, bf16; 0 if there is none
 * @param outputs rows: the width of what the product makes
 * @param inputs columns: the width of what it reads
 */
public record Mxfp4Weights(long address, long bias, int outputs, int inputs)
    implements ProductWeights {}
