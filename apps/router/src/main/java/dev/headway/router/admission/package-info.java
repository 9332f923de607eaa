/** How many requests may be under way at once, how many may wait, and how many may come. */
@NullMarked
package dev.headway.router.admission;

import org.jspecify.annotations.NullMarked;
