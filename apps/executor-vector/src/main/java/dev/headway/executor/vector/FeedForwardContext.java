package dev.headway.executor.vector;

/**
 * What the feed-forwards of a model share: only one runs at a time.
 *
 * @param adapters of the step's rows
 * @param slabs scratch memory of {@link PackedLinear}, by worker
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FeedForwardContext(
    WorkerPool pool, StepStates states, AdapterRows adapters, float[][] slabs) {

  float[] slab(int worker) {
    return slabs[worker];
  }
}
