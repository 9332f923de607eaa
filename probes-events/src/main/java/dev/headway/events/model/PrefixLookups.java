package dev.headway.events.model;

/**
 * What first admissions looked for in the prefix cache and found, by vLLM's words. A request that
 * returns from a preemption finds its own blocks again, which says nothing about shared prefixes,
 * so it does not count.
 *
 * @param requests requests admitted for the first time
 * @param requestsHit those of them that found something
 * @param queries tokens of their prompts
 * @param hits those of the tokens that were found
 */
public record PrefixLookups(int requests, int requestsHit, long queries, long hits) {

  /** No request was admitted for the first time. */
  static final PrefixLookups NONE = new PrefixLookups(0, 0, 0, 0);

  PrefixLookups with(int promptTokens, int cachedTokens) {
    return new PrefixLookups(
        requests + 1,
        requestsHit + (cachedTokens > 0 ? 1 : 0),
        queries + promptTokens,
        hits + cachedTokens);
  }
}
