/**
 * What {@code scripts/gpu-check.sh} runs on a machine with a device: {@code DeviceReport}, {@code
 * TestClassRun} for each test class with the tag {@code gpu}, {@code DeviceBenchmark}. Without a
 * device all three run on the emulated driver, which says nothing about speed.
 */
@NullMarked
package dev.headway.cuda.gpu;

import org.jspecify.annotations.NullMarked;
