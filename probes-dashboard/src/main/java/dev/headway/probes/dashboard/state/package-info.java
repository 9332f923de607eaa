/** What the dashboard and the slow-requests log know of a running engine. */
@NullMarked
package dev.headway.probes.dashboard.state;

import org.jspecify.annotations.NullMarked;
