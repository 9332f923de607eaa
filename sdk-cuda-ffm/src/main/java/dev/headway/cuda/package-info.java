/** How CUDA fails. The executor itself is in {@code dev.headway.cuda.executor}. */
@NullMarked
package dev.headway.cuda;

import org.jspecify.annotations.NullMarked;
