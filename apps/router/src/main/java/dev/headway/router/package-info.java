/** Passes requests on to one of several servers. */
@NullMarked
package dev.headway.router;

import org.jspecify.annotations.NullMarked;
