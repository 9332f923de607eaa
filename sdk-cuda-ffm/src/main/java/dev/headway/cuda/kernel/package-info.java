/**
 * The kernels: their image, and each as a method that checks shapes, picks a variant and enqueues
 * it.
 *
 * <p>Read {@link dev.headway.cuda.kernel.Kernels}, then {@link
 * dev.headway.cuda.kernel.LinearKernels} and {@link dev.headway.cuda.kernel.AttentionKernels}. What
 * a kernel computes, to the rounding, is said in {@code src/main/cuda}.
 *
 * <p>Memory is given by device address ({@link dev.headway.cuda.device.DeviceBuffer#address()}); 0
 * means an optional array that is absent. Arrays are row-major and without gaps; bf16 values have 2
 * bytes, {@code int} and {@code float} 4. Addresses of bf16 rows are aligned to 16 bytes. Device
 * thread only; a call returns before the work is done and allocates nothing.
 */
@NullMarked
package dev.headway.cuda.kernel;

import org.jspecify.annotations.NullMarked;
