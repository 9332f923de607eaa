package dev.headway.kvcache;

import dev.headway.api.request.RequestView;

/** How much room a sequence's tables need, so that growing them step by step allocates nothing. */
final class SequenceCapacity {

  /** Steps that may be scheduled beyond the last token before its output is known. */
  private static final int STEPS_BEYOND = 4;

  private SequenceCapacity() {}

  /** Returns the most tokens a request can ever have slots for, drafts and lookahead included. */
  static int mostTokens(RequestView request, int lookaheadTokens, int maxModelLen) {
    final long longest = (long) request.promptTokens() + request.request().stopRule().maxTokens();
    final long beyond = STEPS_BEYOND * (1L + lookaheadTokens);
    return (int) Math.min(longest + beyond, maxModelLen);
  }
}
