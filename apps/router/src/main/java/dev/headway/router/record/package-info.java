/** A row for each attempt to serve a request. */
@NullMarked
package dev.headway.router.record;

import org.jspecify.annotations.NullMarked;
