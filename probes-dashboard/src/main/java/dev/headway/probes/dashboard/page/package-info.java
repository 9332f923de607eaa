/** The dashboard as a page over HTTP, fed by server-sent events. */
@NullMarked
package dev.headway.probes.dashboard.page;

import org.jspecify.annotations.NullMarked;
