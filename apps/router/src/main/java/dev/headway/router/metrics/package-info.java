/** What a router counts, for Prometheus. */
@NullMarked
package dev.headway.router.metrics;

import org.jspecify.annotations.NullMarked;
