package dev.headway.probes.csv.projection;

import dev.headway.events.model.RunTimeline;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code state_transitions.csv}.
 *
 * @param from null when the request enters the run
 * @param durationNs time spent in {@code from}
 */
record TransitionRow(
    RunTimeline run,
    long timestampNs,
    RequestIdentity request,
    @Nullable RequestPhase from,
    RequestPhase to,
    String reason,
    long iteration,
    long durationNs) {}
