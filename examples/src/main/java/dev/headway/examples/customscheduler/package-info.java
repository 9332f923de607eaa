/** A scheduler of one's own: the simplest that an engine can run. */
@NullMarked
package dev.headway.examples.customscheduler;

import org.jspecify.annotations.NullMarked;
