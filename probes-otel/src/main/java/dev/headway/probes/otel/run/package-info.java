/** What spans and metrics share beside the model of a run: how requests end, in vLLM's words. */
@NullMarked
package dev.headway.probes.otel.run;

import org.jspecify.annotations.NullMarked;
