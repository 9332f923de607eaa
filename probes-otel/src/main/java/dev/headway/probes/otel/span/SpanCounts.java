package dev.headway.probes.otel.span;

/**
 * What became of the records of a run.
 *
 * @param coreSpans requests exported
 * @param apiSpans journeys of a server exported
 * @param stepSpans step spans exported
 * @param unsampledRequests requests that neither a rate nor a rule chose
 * @param droppedEvents events for which there was no room
 * @param unfinished spans closed without the end of their request
 * @param unknownRequests records about requests that are not known, or no more
 * @param missedRecords records that the writer dropped
 */
public record SpanCounts(
    long coreSpans,
    long apiSpans,
    long stepSpans,
    long unsampledRequests,
    long droppedEvents,
    long unfinished,
    long unknownRequests,
    long missedRecords) {}
