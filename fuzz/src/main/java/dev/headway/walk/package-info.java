/** How many files a reader of Headway opens to follow something from its begin to its end. */
@NullMarked
package dev.headway.walk;

import org.jspecify.annotations.NullMarked;
