package dev.headway.routing.policy;

/**
 * Knows what of a prompt each worker has in its KV cache, for example from the events that engines
 * publish. Asked by one thread at a time, while other threads may feed it.
 */
public interface WorkerPrefixes {

  /**
   * Fills in the longest run of cached tokens from the start of the prompt.
   *
   * @param request its prompt is known as tokens
   * @param candidates the workers asked for, by their {@link Worker#id}
   * @param matchedTokens by place among the candidates, all 0
   */
  void match(RoutingRequest request, WorkerSet candidates, int[] matchedTokens);
}
