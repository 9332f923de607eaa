package dev.headway.routing.timing;

import org.jspecify.annotations.Nullable;

/**
 * What a server says of a request when it is done: instants on its own clock, and the scheduler's
 * part in figures. See {@link TimingJson} for how it is sent.
 *
 * @param clock the clock's id, {@link HostClock#id()}
 * @param at the server's instants; others are ignored
 * @param promptTokens tokens of the prompt
 * @param cachedTokens those of them that were found in the prefix cache
 * @param outputTokens tokens of the answer
 * @param preemptions how often it was preempted
 * @param queueTotalNs time in the waiting queue, over all stays; absent if it was never queued
 * @param waitReason what it waited for first, or null if it did not wait
 * @param finishReason as in the answer, or null if it has none
 */
public record ServerTiming(
    String clock,
    RequestTiming at,
    int promptTokens,
    int cachedTokens,
    int outputTokens,
    int preemptions,
    long queueTotalNs,
    @Nullable String waitReason,
    @Nullable String finishReason) {}
