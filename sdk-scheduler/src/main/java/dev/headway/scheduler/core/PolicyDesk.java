package dev.headway.scheduler.core;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.Policies;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.policy.guard.GuardLimits;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.state.RequestState;

/**
 * Entry point of the phases of a step to the replaceable decisions. Without policies it returns the
 * defaults.
 */
final class PolicyDesk {

  private final GuardedPolicies policies;
  private final StepContext context;
  private final StepFeatures features = new StepFeatures();
  private final boolean decidesGate;
  private final boolean decidesCapacity;
  private final boolean decidesBudget;
  private final boolean decidesChunks;
  private final boolean decidesVictim;
  private final boolean keepsLedgers;
  private final boolean learnsStepTime;
  private final boolean any;
  private boolean budgetWasInVain;
  private long policyNs;

  /**
   * Instant at which the previous output was available: with several steps out, the next one began
   * then.
   */
  private long servedNs;

  PolicyDesk(Policies policies, StepContext context) {
    this.policies = new GuardedPolicies(policies, GuardLimits.DEFAULT, System::nanoTime);
    this.context = context;
    any = !policies.isEmpty();
    decidesGate = policies.gate() != null;
    decidesCapacity = policies.capacity() != null;
    decidesBudget = policies.budget() != null;
    decidesChunks = policies.chunking() != null;
    decidesVictim = policies.victim() != null;
    keepsLedgers = !policies.ledgers().isEmpty();
    learnsStepTime = policies.stepTime() != null;
    context.estimateWith(this.policies);
  }

  /** The guarded policies, for the queue. */
  GuardedPolicies policies() {
    return policies;
  }

  /** A step begins: returns its tokens, at most {@code most}. */
  int beginStep(PlanBuffer plan, StepBudget budget, int most) {
    if (!any) {
      return most;
    }
    policyNs += policies.policyNsOfStep();
    policies.beginStep();
    context.begin(plan);
    budget.begin(most, most);
    final int answer = decidesBudget ? policies.budget(context, most) : most;
    return budgetWasInVain ? most : answer;
  }

  /**
   * A step is planned. After one with too few tokens for anything, a policy's budget does not hold
   * until something is computed.
   */
  void planned(boolean anything, boolean tokensShort) {
    budgetWasInVain = !anything && (budgetWasInVain || tokensShort);
  }

  /** The step's budget is set. */
  void budgetSet() {
    if (decidesCapacity || decidesChunks) {
      policies.onStep(context);
    }
  }

  /** Most prompt tokens that the request gets, where it gets {@code wanted} by default. */
  int largestChunk(RequestState request, int wanted) {
    return decidesChunks && wanted > 1 ? policies.chunk(request, wanted, context) : wanted;
  }

  /** The running request to preempt for {@code needy}, or {@code VictimPolicy.STALL}. */
  int victim(RequestState needy, int neededBlocks, int fallback) {
    return decidesVictim ? policies.victim(needy, neededBlocks, context, fallback) : fallback;
  }

  /** Whether the head of the queue may be admitted. */
  AdmissionGate.Verdict gate(RequestState head) {
    return decidesGate ? policies.admit(head, context) : AdmissionGate.Verdict.ADMIT;
  }

  /** Blocks that must stay free after an admission. */
  int blocksToKeepFree(RequestState head, int cached, int tokens) {
    return decidesCapacity ? policies.blocksToKeepFree(head, cached, tokens, context) : 0;
  }

  /** Blocks ran out and a request was preempted. */
  void preempted(RequestState victim) {
    if (decidesCapacity) {
      policies.onPreempted(victim, context);
    }
  }

  void queued(RequestState request) {
    if (keepsLedgers) {
      policies.onQueued(request);
    }
  }

  void admitted(RequestState request, int cached) {
    if (keepsLedgers) {
      policies.onAdmitted(request, cached);
    }
  }

  void finished(RequestState request) {
    if (keepsLedgers) {
      policies.onFinished(request);
    }
  }

  /** A step's output was available at {@code nowNs} and was processed. */
  void served(PlanBuffer plan, long nowNs) {
    if (keepsLedgers) {
      policies.onServed(plan);
    }
    if (learnsStepTime) {
      if (plan.size() > 0) {
        features.fill(plan);
        policies.observe(features, nowNs - Math.max(plan.endNs(), servedNs));
      }
      servedNs = nowNs;
    }
  }

  /** Invalid answers of policies, and exceptions they threw. */
  long faults() {
    return policies.faults();
  }

  /** Time spent in policies, in nanoseconds; the latest step's is added with the next. */
  long policyNs() {
    return policyNs;
  }
}
