package dev.headway.testkit.policy;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.AdmissionGate.Verdict;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.Hold;
import dev.headway.api.request.RequestView;
import dev.headway.testkit.FakeRequest;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks policies and checks each answer; an answer that cannot be is noted and the default taken.
 * What a policy throws is noted too.
 */
final class AskedPolicies {

  private static final String VALID = "valid answers";

  private final Policies policies;
  private final Findings findings;
  private final long seed;

  AskedPolicies(Policies policies, Findings findings, long seed) {
    this.policies = policies;
    this.findings = findings;
    this.seed = seed;
  }

  Policies policies() {
    return policies;
  }

  int window() {
    return policies.order() instanceof DynamicOrder order
        ? ask("window must be >= 1: window=", 128, order::window, answer -> answer >= 1)
        : Integer.MAX_VALUE;
  }

  /** Returns a number per candidate, the smallest first. */
  double[] ranks(List<FakeRequest> candidates, SampleStep step) {
    final double[] ranks = new double[candidates.size() + 1];
    Arrays.fill(ranks, Double.NaN);
    if (policies.order() instanceof DynamicOrder order) {
      tell(() -> order.score(new SampleCandidates(candidates), ranks, step));
      if (!Double.isNaN(ranks[candidates.size()])) {
        findings.add(VALID, seed, "scores behind the candidates must be left alone");
      }
    } else if (policies.order() instanceof StaticOrder order) {
      for (int index = 0; index < candidates.size(); index++) {
        final int at = index;
        tell(() -> ranks[at] = order.key(candidates.get(at)));
      }
    } else if (policies.order() instanceof GroupOrder order) {
      for (int index = 0; index < candidates.size(); index++) {
        final int at = index;
        tell(() -> ranks[at] = order.score(order.group(candidates.get(at))));
      }
    } else {
      Arrays.fill(ranks, 0);
    }
    for (int index = 0; index < candidates.size(); index++) {
      if (Double.isNaN(ranks[index])) {
        findings.add(VALID, seed, "a score or key must be a number: candidate=" + index);
        ranks[index] = 0;
      }
    }
    return ranks;
  }

  Verdict admit(RequestView request, SampleStep step) {
    final AdmissionGate gate = policies.gate();
    final Verdict[] answer = {Verdict.ADMIT};
    if (gate != null) {
      tell(() -> answer[0] = gate.admit(request, step));
    }
    if (answer[0] == null) {
      findings.add(VALID, seed, "a verdict must not be null");
      return Verdict.ADMIT;
    }
    if (gate != null && answer[0] == Verdict.HOLD) {
      tell(() -> checkHold(gate.hold(request, step)));
    }
    final boolean waits = answer[0] == Verdict.DEFER || answer[0] == Verdict.HOLD;
    return waits && step.runningCount() == 0 ? Verdict.ADMIT : answer[0];
  }

  private void checkHold(@Nullable Hold hold) {
    if (hold == null || !hold.endsByItself()) {
      findings.add(VALID, seed, "a hold must have an instant or a timeout: hold=" + hold);
    }
  }

  int blocksToKeepFree(RequestView candidate, int cached, int tokens, SampleStep step) {
    final CapacityPolicy policy = policies.capacity();
    return policy == null
        ? 0
        : ask(
            "blocks to keep free must be >= 0: blocks=",
            0,
            () -> policy.blocksToKeepFree(candidate, cached, tokens, step),
            answer -> answer >= 0);
  }

  int budget(SampleStep step, int decodes, int most) {
    final TokenBudget policy = policies.budget();
    return policy == null
        ? most
        : ask(
            "a budget must be in [running decodes, " + most + "]: decodes=" + decodes + ", budget=",
            most,
            () -> policy.tokens(step),
            answer -> answer >= Math.max(1, decodes) && answer <= most);
  }

  int chunk(RequestView request, int wanted, SampleStep step) {
    final ChunkPolicy policy = policies.chunking();
    return policy == null || wanted < 2
        ? wanted
        : Math.min(
            wanted,
            ask(
                "a chunk must be >= 1: chunk=",
                wanted,
                () -> policy.largestChunk(request, wanted, step),
                answer -> answer >= 1));
  }

  int victim(RequestView needy, int needed, SampleStep step) {
    final int last = step.runningCount() - 1;
    final VictimPolicy policy = policies.victim();
    return policy == null
        ? last
        : ask(
            "a victim must be STALL or a running request: running=" + (last + 1) + ", victim=",
            last,
            () -> policy.victim(needy, needed, step),
            answer -> answer >= VictimPolicy.STALL && answer <= last);
  }

  /** Runs a call; notes what it throws. */
  void tell(Runnable call) {
    try {
      call.run();
    } catch (Throwable t) {
      findings.add(VALID, seed, "a policy must not throw: " + t);
    }
  }

  private int ask(String must, int fallback, IntSupplier question, IntPredicate possible) {
    final int[] answer = {fallback};
    tell(() -> answer[0] = question.getAsInt());
    if (possible.test(answer[0])) {
      return answer[0];
    }
    findings.add(VALID, seed, must + answer[0]);
    return fallback;
  }
}
