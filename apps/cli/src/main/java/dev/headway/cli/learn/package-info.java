/** Commands that learn a performance model from recorded runs, and say how good it is. */
@NullMarked
package dev.headway.cli.learn;

import org.jspecify.annotations.NullMarked;
