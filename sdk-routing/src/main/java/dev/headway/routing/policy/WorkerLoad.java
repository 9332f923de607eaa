package dev.headway.routing.policy;

/**
 * What a worker reported of itself.
 *
 * @param tokens tokens in its KV cache and waiting to be prefilled
 * @param running requests that it is computing
 * @param waiting requests in its queue
 * @param kvUsage share of its KV cache in use, in [0, 1]
 * @param reportedAtNs when this was so, on the router's clock
 */
public record WorkerLoad(
    long tokens, int running, int waiting, double kvUsage, long reportedAtNs) {}
