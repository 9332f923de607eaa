/** Sends a load to a server and measures what comes back. */
@NullMarked
package dev.headway.loadgen;

import org.jspecify.annotations.NullMarked;
