package dev.headway.events.model;

/**
 * Prefix-cache lookups and hits of first admissions, in vLLM's terms. A resumed request finds its
 * own blocks again, which is no measure of shared prefixes, so it is not counted.
 *
 * @param requests requests admitted for the first time
 * @param requestsHit those of them with a hit
 * @param queries tokens of their prompts
 * @param hits those of the tokens found in the cache
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
