/** Draft tokens without a second model. */
@NullMarked
package dev.headway.executor.speculation;

import org.jspecify.annotations.NullMarked;
