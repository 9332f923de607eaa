package dev.headway.scheduler.core;

import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.schedule.WaitReason;
import dev.headway.scheduler.state.RequestState;
import org.jspecify.annotations.Nullable;

/** How many tokens the head of the queue would get in this step. Takes nothing. */
final class AdmissionChunk {

  private static final int ASK = -1;

  private final SchedulerState state;
  private final StepBudget budget;
  private final ChunkRule chunks;
  private final @Nullable Speculation speculation;
  private final @Nullable PrefillThrottle throttle;
  private final @Nullable EncoderBudget encoder;
  private final boolean chunked;
  private boolean onlyDecodes;
  private int wanted;
  private int tokens;
  private int padding;

  /** What the chunk policy leaves of the chunk, or {@link #ASK}. */
  private int policyLimit;

  AdmissionChunk(SchedulerState state, ChunkRule chunks) {
    this.state = state;
    this.chunks = chunks;
    budget = state.budget;
    speculation = state.speculation;
    throttle = state.throttle;
    encoder = state.encoder;
    chunked = state.config.chunkedPrefill() == ChunkedPrefill.ENABLED;
  }

  /**
   * The admissions of a step begin.
   *
   * @param planHasOnlyDecodes whether there are entries and all of them decode
   */
  void begin(boolean planHasOnlyDecodes) {
    onlyDecodes = planHasOnlyDecodes;
  }

  /**
   * Determines the chunk of a request of which {@code cached} tokens were found; returns why there
   * is none, or null.
   */
  @Nullable WaitReason size(RequestState head, int cached) {
    policyLimit = ASK;
    return sizeAgain(head, cached);
  }

  /** As {@link #size}, with what the chunk policy has answered then. */
  @Nullable WaitReason sizeAgain(RequestState head, int cached) {
    final int missing = head.knownTokens - cached;
    wanted = missing;
    if (throttle != null && throttle.defers() && missing > 1) {
      return WaitReason.PREFILL_THROTTLED;
    }
    padding = speculation == null ? 0 : speculation.padding(missing, onlyDecodes);
    final int usable = missing + padding;
    wanted = usable;
    if (padding > 0 && isBeyondStep(cached, usable)) {
      return WaitReason.DRAFT_PADDING;
    }
    final int capped = largest(head, usable);
    wanted = capped;
    if (!chunked && capped > budget.largestChunk()) {
      return WaitReason.CHUNKED_PREFILL_DISABLED;
    }
    tokens = chunks.fit(head, cached, usable, capped, budget.largestChunk());
    if (tokens == 0) {
      final WaitReason item = encoder == null ? null : encoder.refusal(head);
      return item == null ? WaitReason.BLOCK_ALIGNMENT : item;
    }
    padding = draftsGiven(tokens - missing);
    return null;
  }

  private int largest(RequestState head, int usable) {
    final int allowed = chunks.largestAllowed(usable);
    if (policyLimit == ASK) {
      final int answer = chunks.largest(head, usable);
      policyLimit = answer < allowed ? answer : Integer.MAX_VALUE;
    }
    return Math.min(allowed, policyLimit);
  }

  /** Makes the chunk no longer than {@code most} tokens, for which there were blocks. */
  void shorten(RequestState head, int cached, int most) {
    tokens = Math.max(1, chunks.align(head, cached, most));
  }

  /** Tokens it would have got but for the step's budget. */
  int wanted() {
    return wanted;
  }

  /** Tokens of the chunk, padding included, >= 1. */
  int tokens() {
    return tokens;
  }

  /** Drafts among them. */
  int padding() {
    return padding;
  }

  /**
   * The cap for long prompts may leave no room for padding, which vLLM puts into the plan anyway.
   */
  private int draftsGiven(int room) {
    return state.limits.finishesUnschedulable ? Math.min(padding, Math.max(0, room)) : padding;
  }

  private boolean isBeyondStep(int cached, int usable) {
    return usable > budget.largestChunk() || cached + usable > state.limits.maxModelLen;
  }
}
