/** The kernels: their image, their names and shapes. */
@NullMarked
package dev.headway.cuda.kernel;

import org.jspecify.annotations.NullMarked;
