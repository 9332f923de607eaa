/**
 * The CUDA driver as Java sees it: the exported functions, one static method each, and what their
 * results mean. No native code of our own, no generated code.
 *
 * <p>Read {@link dev.headway.cuda.driver.DriverFunction}, the table of all bindings, then any of
 * the {@code *Calls}: they are that table as methods, return the driver's result and check nothing.
 * {@link dev.headway.cuda.driver.CudaResult} turns a result into an exception. Ownership is the
 * subject of {@code dev.headway.cuda.device}, which is what to use.
 */
@NullMarked
package dev.headway.cuda.driver;

import org.jspecify.annotations.NullMarked;
