package dev.headway.faultsim.simulation;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.RequestView;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Policies that throw, or answer what is impossible, now and then. */
final class FaultyPolicies {

  private static final int[] NONSENSE = {
    Integer.MIN_VALUE, -1_000, -2, -1, 0, 1_000_000, Integer.MAX_VALUE
  };
  private static final double[] NO_SCORES = {
    Double.NaN, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY, -0.0
  };

  private final Dice dice;
  private final boolean isThrowing;
  private final boolean isNonsense;
  private final int oneIn;

  FaultyPolicies(long seed, Set<Feature> on) {
    dice = new Dice().start(seed, "faults of policies", 0);
    isThrowing = on.contains(Feature.THROWING_POLICIES);
    isNonsense = on.contains(Feature.NONSENSE_POLICIES);
    oneIn = dice.pick(new Integer[] {1, 4, 60});
  }

  /** The same policies with faults. */
  Policies inFrontOf(Policies policies) {
    final Policies.Builder faulty = Policies.builder();
    final QueueOrder order = policies.order();
    if (order != null) {
      faulty.order(order(order));
    }
    final AdmissionGate gate = policies.gate();
    if (gate != null) {
      faulty.gate(faulty(gate));
    }
    final CapacityPolicy capacity = policies.capacity();
    if (capacity != null) {
      faulty.capacity(
          (candidate, cached, tokens, step) ->
              isWrong() ? nonsense() : capacity.blocksToKeepFree(candidate, cached, tokens, step));
    }
    final TokenBudget budget = policies.budget();
    if (budget != null) {
      faulty.budget(step -> isWrong() ? nonsense() : budget.tokens(step));
    }
    final ChunkPolicy chunking = policies.chunking();
    if (chunking != null) {
      faulty.chunking(
          (request, wanted, step) ->
              isWrong() ? nonsense() : chunking.largestChunk(request, wanted, step));
    }
    final VictimPolicy victim = policies.victim();
    if (victim != null) {
      faulty.victim(
          (needy, needed, step) -> isWrong() ? nonsense() : victim.victim(needy, needed, step));
    }
    return faulty.build();
  }

  private AdmissionGate faulty(AdmissionGate gate) {
    return new AdmissionGate() {
      @Override
      public Verdict admit(RequestView request, StepView step) {
        return isWrong() ? noVerdict() : gate.admit(request, step);
      }

      @Override
      public Hold hold(RequestView request, StepView step) {
        return isWrong() ? noHold() : gate.hold(request, step);
      }
    };
  }

  private QueueOrder order(QueueOrder order) {
    return switch (order) {
      case StaticOrder fixed -> {
        final StaticOrder faulty = request -> isWrong() ? noScore() : fixed.key(request);
        yield faulty;
      }
      case GroupOrder grouped -> faulty(grouped);
      case DynamicOrder moving -> faulty(moving);
    };
  }

  private GroupOrder faulty(GroupOrder grouped) {
    return new GroupOrder() {
      @Override
      public long group(RequestView request) {
        return isWrong() ? nonsense() : grouped.group(request);
      }

      @Override
      public double score(long group) {
        return isWrong() ? noScore() : grouped.score(group);
      }
    };
  }

  private DynamicOrder faulty(DynamicOrder moving) {
    return (candidates, scores, step) -> {
      moving.score(candidates, scores, step);
      if (isWrong() && candidates.size() > 0) {
        scores[dice.below(candidates.size())] = noScore();
      }
    };
  }

  private boolean isWrong() {
    if (!dice.oneIn(oneIn)) {
      return false;
    }
    if (isThrowing && (!isNonsense || dice.oneIn(2))) {
      throw Fault.of("policy", dice);
    }
    return isNonsense;
  }

  @SuppressWarnings({"NullAway", "DataFlowIssue"}) // what must not be answered
  private static AdmissionGate.Verdict noVerdict() {
    return null;
  }

  /** It might never end. */
  private static Hold noHold() {
    return Hold.until(HoldReason.EXTERNAL, new CompletableFuture<>());
  }

  private int nonsense() {
    return NONSENSE[dice.below(NONSENSE.length)];
  }

  private double noScore() {
    return NO_SCORES[dice.below(NO_SCORES.length)];
  }
}
