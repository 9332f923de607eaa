/**
 * cuBLASLt, where it is installed: products with weights on the vendor's library.
 *
 * <p>Read {@link dev.headway.cuda.blas.BlasLt}. It is not part of the driver; where it is missing,
 * {@code dev.headway.cuda.kernel.LinearKernels} does the same.
 */
@NullMarked
package dev.headway.cuda.blas;

import org.jspecify.annotations.NullMarked;
