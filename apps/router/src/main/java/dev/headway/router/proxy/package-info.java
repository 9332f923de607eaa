/** Passes requests on to workers and their answers back, as they come. */
@NullMarked
package dev.headway.router.proxy;

import org.jspecify.annotations.NullMarked;
