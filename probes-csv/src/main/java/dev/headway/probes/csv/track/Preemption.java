package dev.headway.probes.csv.track;

import org.jspecify.annotations.Nullable;

/**
 * A running request was put back.
 *
 * @param beneficiary who got its blocks or seat, or null
 */
public record Preemption(
    TrackedRequest victim,
    String cause,
    @Nullable TrackedRequest beneficiary,
    int lostTokens,
    int freedBlocks) {}
