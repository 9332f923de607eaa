package dev.headway.executor.vector;

/**
 * What a layer does with each token by itself, after attention. The engine thread only; allocates
 * nothing once the largest step has been seen.
 */
interface FeedForward {

  /** Sets rows [0, rows) of what is to be added to the residual stream, for the normed states. */
  void apply(int rows);
}
