package dev.headway.api.schedule;

/**
 * Counters of a scheduler since it was made; a snapshot.
 *
 * @param steps steps scheduled, empty ones included
 * @param admissions requests admitted, resumptions included
 * @param preemptions requests put back
 * @param finished requests ended
 * @param prefixLookups admissions of new requests that looked into the prefix cache
 * @param prefixQueriedTokens tokens looked up in the prefix cache by admissions of new requests
 * @param prefixHitTokens those of them found
 * @param resumedLookups admissions of preempted requests that looked into the prefix cache
 * @param resumedQueriedTokens tokens looked up by admissions of preempted requests
 * @param resumedHitTokens those of them found
 * @param hostHitTokens tokens found in the host tier only, among both kinds of hits
 * @param savedBlocks blocks planned to be saved to the host tier
 * @param loadedBlocks blocks planned to be loaded from there
 * @param drafts times draft tokens of a request were verified
 * @param draftTokens draft tokens verified
 * @param acceptedDraftTokens those of them accepted
 * @param policyFaults answers of policies that could not be, and exceptions they threw
 * @param policyNs time spent in policies, in nanoseconds; the latest step's comes with the next
 */
public record SchedulerStats(
    long steps,
    long admissions,
    long preemptions,
    long finished,
    long prefixLookups,
    long prefixQueriedTokens,
    long prefixHitTokens,
    long resumedLookups,
    long resumedQueriedTokens,
    long resumedHitTokens,
    long hostHitTokens,
    long savedBlocks,
    long loadedBlocks,
    long drafts,
    long draftTokens,
    long acceptedDraftTokens,
    long policyFaults,
    long policyNs) {}
