package dev.headway.cuda.kernel;

/**
 * Pages of one layer: {@code [block][kvHead][blockSize][headDim]}, bf16.
 *
 * @param keys device address
 * @param values device address
 */
public record LayerCache(long keys, long values) {}
