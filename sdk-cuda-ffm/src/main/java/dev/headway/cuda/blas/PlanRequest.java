package dev.headway.cuda.blas;

/**
 * What a plan is made for.
 *
 * @param output type of the result
 * @param scales of codes; none for bf16
 * @param weightScales an address that the scales of weights have; 0 for bf16
 * @param inputScales the same of inputs
 * @param bias an address that the bias has, or 0 for none
 * @param alignment what all addresses are multiples of, in bytes
 * @param m rows of x
 * @param n rows of w
 * @param k columns of both
 */
record PlanRequest(
    BlasOutput output,
    BlasScales scales,
    long weightScales,
    long inputScales,
    long bias,
    int alignment,
    int m,
    int n,
    int k) {}
