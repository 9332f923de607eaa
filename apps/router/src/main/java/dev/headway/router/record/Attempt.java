package dev.headway.router.record;

import dev.headway.routing.policy.RoutingDecision;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to serve a request. Instants are nanoseconds of the host's clock, or {@link
 * dev.headway.api.Absent#ABSENT}.
 *
 * @param decision why it went where it did
 * @param receivedNs the router has read the request
 * @param pickedNs the worker was chosen
 * @param sentNs the router began to write to it
 * @param headNs the head of the answer was read
 * @param firstNs the first part of its body was
 * @param endedNs the attempt was over
 * @param status of the worker's answer, 0 without one
 * @param outcome label of how it ended
 * @param reason what went wrong; null for nothing
 * @param bytes of the answer's body
 */
public record Attempt(
    RoutingDecision decision,
    long receivedNs,
    long pickedNs,
    long sentNs,
    long headNs,
    long firstNs,
    long endedNs,
    int status,
    String outcome,
    @Nullable String reason,
    long bytes) {}
