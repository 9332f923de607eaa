/** Requests in memory, for tests of whatever reads a {@code RequestView}. */
@NullMarked
package dev.headway.testkit.request;

import org.jspecify.annotations.NullMarked;
