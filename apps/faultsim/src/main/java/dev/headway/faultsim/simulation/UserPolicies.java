package dev.headway.faultsim.simulation;

import dev.headway.api.policy.AdmissionGate;
import dev.headway.api.policy.CapacityPolicy;
import dev.headway.api.policy.ChunkPolicy;
import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.GroupOrder;
import dev.headway.api.policy.QueueOrder;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.policy.StepView;
import dev.headway.api.policy.TokenBudget;
import dev.headway.api.policy.VictimPolicy;
import dev.headway.api.request.Hold;
import dev.headway.api.request.HoldReason;
import dev.headway.api.request.RequestView;
import java.util.function.IntUnaryOperator;

/**
 * The worst policies that a user could write. All their answers are possible ones, so that a guard
 * takes them.
 */
public final class UserPolicies {

  /** Ways to choose a victim. */
  public static final int VICTIM_KINDS = 5;

  private final IntUnaryOperator below;

  /**
   * Makes the source of these policies.
   *
   * @param below answers a random number in [0, its argument)
   */
  public UserPolicies(IntUnaryOperator below) {
    this.below = below;
  }

  /** The newest request first, for ever. */
  public static QueueOrder newestFirst() {
    final StaticOrder newest = request -> -request.number();
    return newest;
  }

  /** Three groups, with other scores whenever they are asked for, smaller ones too. */
  public QueueOrder dicedGroups() {
    return new GroupOrder() {
      @Override
      public long group(RequestView request) {
        return request.number() % 3;
      }

      @Override
      public double score(long group) {
        return below.applyAsInt(4);
      }
    };
  }

  /** Other scores in every step. */
  public QueueOrder dicedOrder() {
    final DynamicOrder diced =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = below.applyAsInt(4);
          }
        };
    return diced;
  }

  /**
   * A victim policy.
   *
   * @param kind in [0, {@link #VICTIM_KINDS}): the first, none, the one with the most computed
   *     tokens, the needy one, any
   */
  public VictimPolicy victim(int kind) {
    return switch (kind) {
      case 0 -> (needy, needed, step) -> 0;
      case 1 -> (needy, needed, step) -> VictimPolicy.STALL;
      case 2 ->
          (needy, needed, step) -> {
            int most = 0;
            for (int i = 1; i < step.runningCount(); i++) {
              final int computed = step.running(i).computedTokens();
              most = computed >= step.running(most).computedTokens() ? i : most;
            }
            return most;
          };
      case 3 ->
          (needy, needed, step) -> {
            int index = 0;
            while (step.running(index).number() != needy.number()) {
              index++;
            }
            return index;
          };
      default -> (needy, needed, step) -> below.applyAsInt(step.runningCount() + 1) - 1;
    };
  }

  /** Keeps everything free. */
  public static CapacityPolicy keepsAll() {
    return (candidate, cached, tokens, step) -> step.usableBlocks();
  }

  /** Keeps any number of blocks free. */
  public CapacityPolicy dicedCapacity() {
    return (candidate, cached, tokens, step) -> below.applyAsInt(step.usableBlocks());
  }

  /** Chunks of one token. */
  public static ChunkPolicy smallestChunks() {
    return (request, wanted, step) -> 1;
  }

  /** Chunks of any size. */
  public ChunkPolicy dicedChunks() {
    return (request, wanted, step) -> 1 + below.applyAsInt(wanted);
  }

  /** Admits nothing. */
  public static AdmissionGate defersAll() {
    return (request, step) -> AdmissionGate.Verdict.DEFER;
  }

  /** Admits or defers. */
  public AdmissionGate dicedGate() {
    return (request, step) ->
        below.applyAsInt(2) == 0 ? AdmissionGate.Verdict.ADMIT : AdmissionGate.Verdict.DEFER;
  }

  /** Admits, or sets aside for up to ten milliseconds. */
  public AdmissionGate holdingGate() {
    return new AdmissionGate() {
      @Override
      public Verdict admit(RequestView request, StepView step) {
        return below.applyAsInt(3) == 0 ? Verdict.HOLD : Verdict.ADMIT;
      }

      @Override
      public Hold hold(RequestView request, StepView step) {
        final long longestNs = below.applyAsInt(10_000_000);
        return Hold.untilNs(HoldReason.EXTERNAL, step.nowNs() + longestNs);
      }
    };
  }

  /** A budget of one token. */
  public static TokenBudget smallestBudget() {
    return step -> 1;
  }

  /** Any budget. */
  public TokenBudget dicedBudget() {
    return step -> 1 + below.applyAsInt(step.tokensLeft());
  }
}
