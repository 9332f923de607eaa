/** A run as a page. */
@NullMarked
package dev.headway.loadgen.page;

import org.jspecify.annotations.NullMarked;
