package dev.headway.probes.csv.projection;

import dev.headway.events.model.RunTimeline;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code events.csv}.
 *
 * @param request the request, or null
 * @param iteration {@code ABSENT} outside iterations
 * @param details one line of JSON, or null
 */
record EventRow(
    RunTimeline run,
    long timestampNs,
    String type,
    @Nullable RequestIdentity request,
    long iteration,
    @Nullable String details) {}
