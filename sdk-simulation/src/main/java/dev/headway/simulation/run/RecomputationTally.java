package dev.headway.simulation.run;

import dev.headway.api.request.RequestView;
import java.util.HashMap;
import java.util.Map;

/**
 * Tokens computed that had been computed before a preemption: the sum of the column {@code
 * recomputed_tokens} of {@code per_request.csv}, taken live in O(preemptions).
 */
public final class RecomputationTally {

  private final Map<Long, Progress> preempted = new HashMap<>();
  private long tokens;

  /** Starts at nothing. */
  public RecomputationTally() {}

  /** Between two preemptions a request computes from {@code from} on; {@code most} it had once. */
  private static final class Progress {
    private int from;
    private int most;
  }

  /** A request gives up {@code computedTokens} tokens. */
  public void preempted(RequestView request, int computedTokens) {
    final Progress progress = preempted.computeIfAbsent(request.number(), number -> new Progress());
    count(progress, computedTokens);
  }

  /** A request starts again with {@code cachedTokens} tokens found in the cache. */
  public void resumed(RequestView request, int cachedTokens) {
    final Progress progress = preempted.get(request.number());
    if (progress != null) {
      progress.from = cachedTokens;
    }
  }

  /** A request has ended. */
  public void finished(RequestView request) {
    final Progress progress = preempted.remove(request.number());
    if (progress != null) {
      count(progress, request.computedTokens());
    }
  }

  /** Tokens computed again so far; a life that goes on is not counted yet. */
  public long tokens() {
    return tokens;
  }

  private void count(Progress progress, int computedTokens) {
    tokens += Math.max(0, Math.min(computedTokens, progress.most) - progress.from);
    progress.most = Math.max(progress.most, computedTokens);
  }
}
