package dev.headway.events.reason;

/** What a request that waits has too little of, or what is in its way. */
public enum WaitFamily {
  /** Memory of the KV cache. */
  KV_BLOCKS(
      "KV cache blocks",
      "A larger KV cache, shorter contexts or fewer long prompts at once would shorten the queue."),
  /** Tokens that a step may compute. */
  TOKEN_BUDGET(
      "the token budget of a step",
      "The device computes as many tokens per step as it is allowed to: more tokens per step"
          + " (maxNumBatchedTokens) or another device would shorten the queue, at the price of"
          + " longer steps."),
  /** Requests that may run at once. */
  SEATS("seats", "More requests could run at once: raise maxNumSeqs if the KV cache has room."),
  /** The end of the step that has begun. */
  STEP_BOUNDARY(
      "the next step to be planned",
      "Requests that come during a step wait for its end; only shorter steps change that."),
  /** A policy or a rule of order. */
  POLICY("a policy that put others first", "The policy chose this; its options say by how much."),
  /** LoRA adapters that may be loaded at once. */
  ADAPTERS("LoRA adapter slots", "Raise maxLoras."),
  /** The call that resumes scheduling. */
  PAUSE("the scheduler to be resumed", "Scheduling was paused."),
  /** Something outside the scheduler. */
  HELD(
      "something outside the scheduler",
      "Requests were held for a grammar, an adapter or their caller: what is waited for is slow, or"
          + " late."),
  /** None of these. */
  OTHER("other reasons", "The table of reasons has them one by one.");

  private final String label;
  private final String advice;

  WaitFamily(String label, String advice) {
    this.label = label;
    this.advice = advice;
  }

  /** Words that fit after "waiting for". */
  public String label() {
    return label;
  }

  /** What to do about it, in a sentence. */
  public String advice() {
    return advice;
  }
}
