package dev.headway.events.model;

import org.jspecify.annotations.Nullable;

/**
 * A running request was put back.
 *
 * @param beneficiary who got its blocks or seat, or null
 */
public record Preemption(
    ObservedRequest victim,
    String cause,
    @Nullable ObservedRequest beneficiary,
    int lostTokens,
    int freedBlocks) {}
