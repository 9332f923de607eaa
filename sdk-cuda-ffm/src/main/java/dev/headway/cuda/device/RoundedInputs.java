package dev.headway.cuda.device;

/**
 * How the inputs of a product are rounded to e4m3 codes: {@code code = e4m3(x / scale)}.
 *
 * @param fixedScale address of the one scale of all inputs, a float above zero; 0 if a scale is the
 *     largest magnitude of what shares it, divided by 448
 * @param columns adjacent inputs of a row that share a scale, fewer at the end; all with a fixed
 *     one
 */
public record RoundedInputs(long fixedScale, int columns) {}
