/**
 * What {@code scripts/gpu-check.sh} runs on a machine with a device: {@code DeviceReport}, {@code
 * TestClassRun} for the test classes with the tag {@code gpu}, {@code DeviceCheck} for each part
 * that is measured, and {@code Goals}, which holds the figures against what is wanted. Without a
 * device all of it runs on the emulated driver, which says nothing about speed.
 */
@NullMarked
package dev.headway.cuda.gpu;

import org.jspecify.annotations.NullMarked;
