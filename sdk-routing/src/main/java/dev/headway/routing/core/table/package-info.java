/** Decisions as rows of a file. */
@NullMarked
package dev.headway.routing.core.table;

import org.jspecify.annotations.NullMarked;
