/**
 * What the driver's management library says about a device: how busy it is, how much memory is
 * used.
 *
 * <p>Read {@link dev.headway.cuda.nvml.DeviceTelemetry}. A figure that cannot be had is absent and
 * never an error. Nothing here touches a CUDA context.
 */
@NullMarked
package dev.headway.cuda.nvml;

import org.jspecify.annotations.NullMarked;
