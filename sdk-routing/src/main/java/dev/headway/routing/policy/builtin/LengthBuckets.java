package dev.headway.routing.policy.builtin;

import dev.headway.routing.policy.LeastLoad;
import dev.headway.routing.policy.RoutingBranch;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.RoutingPolicy;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.policy.Worker;
import dev.headway.routing.policy.WorkerSet;
import java.util.Arrays;

/**
 * Prompts by length: each worker gets a range of lengths, so that short prompts do not wait behind
 * long ones. The ranges are set now and then such that each range had the same number of tokens
 * among the latest prompts. When loads are uneven, the least load decides.
 */
final class LengthBuckets implements RoutingPolicy {

  private static final int LATEST = 1_024;

  private final long intervalNs;
  private final double balanceAbs;
  private final double balanceRel;
  private final int[] latest = new int[LATEST];
  private int seen;
  private int[] upTo = {};
  private long nextNs = Long.MIN_VALUE;

  LengthBuckets(long intervalNs, double balanceAbs, double balanceRel) {
    this.intervalNs = intervalNs;
    this.balanceAbs = balanceAbs;
    this.balanceRel = balanceRel;
  }

  @Override
  public String name() {
    return "bucket";
  }

  @Override
  public void route(RoutingRequest request, WorkerSet candidates, RoutingDecision decision) {
    final int size = candidates.size();
    if (request.nowNs() >= nextNs || upTo.length != size - 1) {
      upTo = boundaries(size);
      nextNs = request.nowNs() + intervalNs;
    }
    final Worker least = LeastLoad.of(candidates);
    double max = 0;
    for (Worker worker : candidates) {
      max = Math.max(max, worker.effectiveLoad());
    }
    final double min = least.effectiveLoad();
    if (max - min > balanceAbs && max > balanceRel * min) {
      decision.choose(least, RoutingBranch.IMBALANCE_MINLOAD);
      return;
    }
    int bucket = 0;
    while (bucket < upTo.length && request.promptTokens() >= upTo[bucket]) {
      bucket++;
    }
    decision.choose(candidates.get(bucket), RoutingBranch.BUCKET);
  }

  /** Lengths at which the next bucket begins, one fewer than buckets. */
  private int[] boundaries(int buckets) {
    final int[] lengths = Arrays.copyOf(latest, Math.min(seen, LATEST));
    Arrays.sort(lengths);
    final long total = Arrays.stream(lengths).asLongStream().sum();
    final int[] result = new int[buckets - 1];
    Arrays.fill(result, Integer.MAX_VALUE);
    long below = 0;
    int next = 0;
    for (int length : lengths) {
      while (next < result.length && below * buckets >= total * (next + 1)) {
        result[next++] = length;
      }
      below += length;
    }
    return result;
  }

  @Override
  public void onDispatched(RoutingDecision decision, Worker worker) {
    latest[seen % LATEST] = decision.request().promptTokens();
    seen = seen == 2 * LATEST - 1 ? LATEST : seen + 1;
  }
}
