/** Collections of primitives that do not allocate once warm. */
@NullMarked
package dev.headway.scheduler.support;

import org.jspecify.annotations.NullMarked;
