package dev.headway.probes.csv.projection;

import dev.headway.probes.csv.table.Table;
import org.jspecify.annotations.Nullable;

/**
 * What a request was when it came.
 *
 * @param number of the run's requests; {@link Table#ABSENT} if it was rejected
 * @param id the caller's name for it
 * @param idCell the name as a cell
 * @param arrivalNs instant of submission
 * @param queuedNs instant at which it entered the queue; {@link Table#ABSENT} if it was rejected
 * @param minTokens {@link Table#ABSENT} if it was rejected
 */
record RequestIdentity(
    long number,
    String id,
    String idCell,
    long arrivalNs,
    long queuedNs,
    int promptTokens,
    int maxTokens,
    long minTokens,
    int priority,
    @Nullable String tenant) {}
