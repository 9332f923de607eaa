/** Where requests go: servers over HTTP, and engines in the same process. */
@NullMarked
package dev.headway.loadgen.client;

import org.jspecify.annotations.NullMarked;
