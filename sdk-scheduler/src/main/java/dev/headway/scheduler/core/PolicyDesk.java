package dev.headway.scheduler.core;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.Hold;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.policy.guard.GuardLimits;
import dev.headway.scheduler.policy.guard.GuardedPolicies;
import dev.headway.scheduler.queue.AdmissionOrder;
import dev.headway.scheduler.queue.GroupQueue;
import dev.headway.scheduler.queue.KeyedQueue;
import dev.headway.scheduler.queue.WindowQueue;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of the phases of a step to the replaceable decisions. Without policies there is none,
 * and each phase does the default.
 */
final class PolicyDesk {

  private final GuardedPolicies policies;
  private final SchedulerState state;
  private final StepContext context;
  private final StepFeatures features = new StepFeatures();
  private final boolean decidesGate;
  private final boolean decidesCapacity;
  private final boolean decidesBudget;
  private final boolean decidesChunks;
  private final boolean decidesVictim;
  private final boolean keepsLedgers;
  private final boolean learnsStepTime;
  private final @Nullable QueueOrder order;
  private boolean budgetWasInVain;
  private long policyNs;

  /**
   * Instant at which the previous output was available: with several steps out, the next one began
   * then.
   */
  private long servedNs;

  private PolicyDesk(Policies policies, SchedulerState state) {
    this.policies = new GuardedPolicies(policies, GuardLimits.DEFAULT, System::nanoTime);
    this.state = state;
    context = new StepContext(state, this.policies);
    order = policies.order();
    decidesGate = policies.gate() != null;
    decidesCapacity = policies.capacity() != null;
    decidesBudget = policies.budget() != null;
    decidesChunks = policies.chunking() != null;
    decidesVictim = policies.victim() != null;
    keepsLedgers = !policies.ledgers().isEmpty();
    learnsStepTime = policies.stepTime() != null;
  }

  /** Returns null if no decision is replaced. */
  static @Nullable PolicyDesk of(Policies policies, SchedulerState state) {
    return policies.isEmpty() ? null : new PolicyDesk(policies, state);
  }

  /** The order in which waiting requests are considered; null if it is not replaced. */
  @Nullable AdmissionOrder order() {
    if (order instanceof StaticOrder) {
      return new KeyedQueue(policies);
    }
    if (order instanceof GroupOrder) {
      return new GroupQueue(policies, context, state.events);
    }
    if (order instanceof DynamicOrder) {
      return new WindowQueue(policies, context, state.events);
    }
    return null;
  }

  /** A step begins: returns its tokens, at most {@code most}. */
  int beginStep(PlanBuffer plan, int most) {
    policyNs += policies.policyNsOfStep();
    policies.beginStep();
    context.begin(plan);
    state.budget.begin(most, most);
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

  /** What the head waits for, which the gate wants held; null if its answer is invalid. */
  @Nullable Hold hold(RequestState head) {
    return policies.hold(head, context);
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
