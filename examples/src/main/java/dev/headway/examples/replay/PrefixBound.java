package dev.headway.examples.replay;

import dev.headway.examples.workload.WorkloadRequest;
import java.util.BitSet;

/**
 * How many prompt tokens a cache that forgets nothing could have served: those in blocks whose id
 * an earlier request of the trace has named. One thread; one bit per block id of the trace.
 */
final class PrefixBound {

  private final BitSet seen = new BitSet();
  private long promptTokens;
  private long knownTokens;
  private boolean named;

  /** Counts a request. */
  void count(WorkloadRequest request) {
    promptTokens += request.inputTokens();
    long left = request.inputTokens();
    for (int id : request.prefixBlockIds()) {
      named = true;
      if (seen.get(id)) {
        knownTokens += Math.min(left, request.prefixBlockTokens());
      } else {
        seen.set(id);
      }
      left -= request.prefixBlockTokens();
    }
  }

  /** Whether the trace says what its prompts share. */
  boolean isKnown() {
    return named;
  }

  /** Share of prompt tokens, in [0, 1]. */
  double share() {
    return promptTokens == 0 ? 0 : (double) knownTokens / promptTokens;
  }
}
