/** What spans and metrics both need to know of a run: instants, progress, and how requests end. */
@NullMarked
package dev.headway.probes.otel.run;

import org.jspecify.annotations.NullMarked;
