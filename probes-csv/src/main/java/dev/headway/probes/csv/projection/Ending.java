package dev.headway.probes.csv.projection;

import org.jspecify.annotations.Nullable;

/**
 * The end of a request, on its way to a row: the tokens of its last step are recorded after it.
 *
 * @param stepId the step that must be complete before they are known
 * @param stopTokenId absent if no stop token ended it
 * @param cause what failed, or null
 * @param outputTokens tokens generated, or absent if the writer did not say
 */
record Ending(
    RequestTimeline request,
    long stepId,
    String reason,
    long stopTokenId,
    @Nullable String cause,
    long outputTokens,
    long nowNs) {}
