/** Tables and other files as they lie on a disk, plain or packed. */
@NullMarked
package dev.headway.simulation.table;

import org.jspecify.annotations.NullMarked;
