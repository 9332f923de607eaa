/**
 * What devices can do at most: a table of GPUs, each figure with its source, to which users add
 * theirs.
 *
 * <p>Read {@link dev.headway.simulation.hardware.GpuCatalog}.
 */
@NullMarked
package dev.headway.simulation.hardware;

import org.jspecify.annotations.NullMarked;
