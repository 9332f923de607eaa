package dev.headway.scheduler.core;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.LonePrefill;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/**
 * Limits of a request's tokens in a step besides the budget: the cap for long prompts, and the
 * positions at which a chunk may end.
 */
final class ChunkRule {

  private final SchedulerState state;
  private final @Nullable PolicyDesk policies;
  private final @Nullable EncoderBudget encoder;
  private final boolean capsLoneRequests;
  private final int prefillLookahead;
  private final boolean statesComeFirst;
  private int largestInStep;

  ChunkRule(SchedulerState state, @Nullable PolicyDesk policies) {
    this.state = state;
    this.policies = policies;
    capsLoneRequests = state.config.lonePrefill() == LonePrefill.CAPPED;
    encoder = state.encoder;
    prefillLookahead = state.config.speculation().prefillLookaheadTokens();
    statesComeFirst = state.config.compatibility() == Compatibility.HEADWAY;
  }

  /**
   * A step begins. vLLM does not look at the slots, so that a chunk may be asked for that never
   * fits.
   */
  void begin() {
    final StepBudget budget = state.budget;
    final int largest =
        state.limits.finishesUnschedulable ? budget.largestChunk() : budget.tokensLeft();
    largestInStep = Math.min(largest, state.limits.longPrefillCap);
  }

  /** Most tokens that the request gets in a step, of the {@code wanted} it could use. */
  int largest(RequestState request, int wanted) {
    final int allowed = largestAllowed(wanted);
    return policies != null && isPrompt(request, wanted)
        ? policies.largestChunk(request, allowed)
        : allowed;
  }

  /** As {@link #largest}, whatever the policy. */
  int largestAllowed(int wanted) {
    return capsLoneRequests || !isAlone() ? Math.min(wanted, state.limits.longPrefillCap) : wanted;
  }

  /** Whether more than the newest token and its drafts are to be computed. */
  private static boolean isPrompt(RequestState request, int wanted) {
    return wanted > 1 + request.pendingDrafts;
  }

  private boolean isAlone() {
    return state.running.size() + state.waiting.size() == 1;
  }

  /**
   * Returns the tokens of a chunk of at most {@code room}, shortened by {@link #align}. What a
   * policy leaves of it does not hold if no chunk of that size can end anywhere.
   *
   * @param start tokens before the chunk
   * @param wanted tokens that the request could use
   * @param largest what {@link #largest} has answered for them
   * @return tokens of the chunk, 0 if there is no such end within it
   */
  int fit(RequestState request, int start, int wanted, int largest, int room) {
    final int tokens = align(request, start, Math.min(largest, room));
    if (tokens > 0 || largest == wanted) {
      return tokens;
    }
    final int allowed = Math.min(largestAllowed(wanted), room);
    return allowed > largest ? align(request, start, allowed) : tokens;
  }

  /**
   * Shortens a chunk so that it ends where it may: at a boundary of recurrent states, before an
   * item that the encoder cannot compute now, and either with the known tokens or so far from them
   * that every drafting module has its inputs. Where the two leave no end, the boundary holds:
   * without its inputs a module proposes worse drafts, which are verified all the same; without a
   * state nothing could be computed.
   *
   * @param start tokens before the chunk
   * @return tokens of the chunk, 0 if there is no such end within it
   */
  int align(RequestState request, int start, int tokens) {
    final int atState = state.kv.alignChunk(request.kv(), start, tokens, largestInStep);
    final int aligned = encoder == null ? atState : encoder.fit(request, start, atState);
    final int left = request.knownTokens - start - aligned;
    if (aligned <= 0 || left <= 0 || left >= prefillLookahead) {
      return aligned;
    }
    final int farther = aligned - (prefillLookahead - left);
    return farther <= 0 && aligned < tokens && statesComeFirst ? aligned : Math.max(0, farther);
  }
}
