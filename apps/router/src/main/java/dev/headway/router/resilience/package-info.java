/** When a worker is left alone for a while, and when a request is tried again. */
@NullMarked
package dev.headway.router.resilience;

import org.jspecify.annotations.NullMarked;
