package dev.headway.simulation.run;

import dev.headway.simulation.workload.WorkloadRequest;
import java.util.BitSet;

/**
 * How many prompt tokens a cache that forgets nothing could have served: those in blocks whose id
 * an earlier request of the trace has named. One thread; one bit per block id of the trace.
 */
public final class PrefixBound {

  private final BitSet seen = new BitSet();
  private long promptTokens;
  private long knownTokens;
  private boolean named;

  /** Begins with nothing. */
  public PrefixBound() {}

  /** Counts a request. */
  public void count(WorkloadRequest request) {
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
