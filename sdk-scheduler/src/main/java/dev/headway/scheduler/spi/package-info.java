/** Finding providers by name; internal. */
@NullMarked
package dev.headway.scheduler.spi;

import org.jspecify.annotations.NullMarked;
