/** The probes {@code dashboard} and {@code slow-requests}, by name. */
@NullMarked
package dev.headway.probes.dashboard.probe;

import org.jspecify.annotations.NullMarked;
