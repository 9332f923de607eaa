package dev.headway.cuda.device;

/**
 * The scales of e4m3 codes on the device, floats by rows: {@code weight[n][k] = code[n][k] *
 * scale[n >> rowShift][k / columns]}.
 *
 * @param address of the scales
 * @param rowShift a scale is that of {@code 2^rowShift} adjacent rows, fewer at the end
 * @param columns and of so many adjacent columns, >= 1, fewer at the end; not more than the matrix
 *     has
 */
public record WeightScales(long address, int rowShift, int columns) {}
