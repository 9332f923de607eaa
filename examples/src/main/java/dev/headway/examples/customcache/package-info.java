/** A KV cache of one's own: the simplest that is correct. */
@NullMarked
package dev.headway.examples.customcache;

import org.jspecify.annotations.NullMarked;
