package dev.headway.probes.csv.projection;

import static dev.headway.api.Absent.ABSENT;

import org.jspecify.annotations.Nullable;

/**
 * The figures that a request came with.
 *
 * @param number of the run's requests; {@link dev.headway.api.Absent#ABSENT} if it was rejected
 * @param id the caller's name for it
 * @param idCell the name as a cell
 * @param arrivalNs instant of submission
 * @param queuedNs instant at which it entered the queue; {@link dev.headway.api.Absent#ABSENT} if
 *     it was rejected
 * @param minTokens {@link dev.headway.api.Absent#ABSENT} if it was rejected
 * @param ttftTargetNs how soon it wants its first token; {@link dev.headway.api.Absent#ABSENT} if
 *     it does not say
 * @param timeoutNs how soon it ends anyhow; {@link dev.headway.api.Absent#ABSENT} if never
 * @param adapter name of its LoRA adapter, or null
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
    @Nullable String tenant,
    long ttftTargetNs,
    long timeoutNs,
    @Nullable String adapter) {

  /** Returns that of a request of which only the name is known. */
  static RequestIdentity ofNameOnly(String id, String idCell, long seenNs) {
    return new RequestIdentity(
        ABSENT, id, idCell, seenNs, ABSENT, 0, 0, ABSENT, 0, null, ABSENT, ABSENT, null);
  }
}
