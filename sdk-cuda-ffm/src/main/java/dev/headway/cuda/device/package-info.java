/**
 * A device and what lives on it, as owners that are closed: memory, streams, events, modules,
 * graphs.
 *
 * <p>Read {@link dev.headway.cuda.device.CudaDevice}, which makes all others, then {@link
 * dev.headway.cuda.device.CudaStream} and {@link dev.headway.cuda.device.Kernel}.
 *
 * <p>The driver binds a context to an operating system thread. So one platform thread, the one that
 * opened the device, calls everything here; another thread, a closed owner and a second close are
 * {@link java.lang.IllegalStateException}s that say so. A driver call that fails is a {@link
 * dev.headway.cuda.CudaException}. Making and closing allocate on the heap; copies, launches,
 * events and graphs do not.
 */
@NullMarked
package dev.headway.cuda.device;

import org.jspecify.annotations.NullMarked;
