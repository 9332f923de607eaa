/** Asks the workers how they are. */
@NullMarked
package dev.headway.router.health;

import org.jspecify.annotations.NullMarked;
