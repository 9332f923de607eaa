package dev.headway.cuda.blas;

/**
 * What a plan is made for.
 *
 * @param output type of the result
 * @param bias an address that the bias has, or 0 for none
 * @param alignment what all addresses are multiples of, in bytes
 * @param m rows of x
 * @param n rows of w
 * @param k columns of both
 */
record PlanRequest(BlasOutput output, long bias, int alignment, int m, int n, int k) {}
