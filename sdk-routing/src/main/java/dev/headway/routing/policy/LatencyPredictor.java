package dev.headway.routing.policy;

/** Predicts how long a worker takes to the first token. Asked by one thread at a time. */
@FunctionalInterface
public interface LatencyPredictor {

  /**
   * Predicts the time from now to the first token, in nanoseconds, >= 0.
   *
   * @param queuedTokens prompt tokens of others that the worker still has to compute
   * @param runningRequests requests there that have their first token
   * @param promptTokens tokens of this prompt that are not cached there
   */
  double firstTokenNs(Worker worker, long queuedTokens, int runningRequests, int promptTokens);
}
