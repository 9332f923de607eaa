package dev.headway.report.html.page;

import dev.headway.events.model.Cause;

/** The resource behind a wait reason, of which there was too little. */
enum Limit {
  KV_BLOCKS(
      "KV cache blocks",
      "A larger KV cache, shorter contexts or fewer long prompts at once would shorten the queue."),
  TOKEN_BUDGET(
      "the token budget of a step",
      "The device computes as many tokens per step as it is allowed to: more tokens per step (maxNumBatchedTokens) or another device would shorten the queue, at the price of longer steps."),
  SEATS("seats", "More requests could run at once: raise maxNumSeqs if the KV cache has room."),
  STEP_BOUNDARY(
      "the next step to be planned",
      "Requests that come during a step wait for its end; only shorter steps change that."),
  POLICY("a policy that put others first", "The policy chose this; its options say by how much."),
  ADAPTERS("LoRA adapter slots", "Raise maxLoras."),
  PAUSE("the scheduler to be resumed", "Scheduling was paused."),
  OTHER("other reasons", "The table of reasons has them one by one.");

  private final String label;
  private final String advice;

  Limit(String label, String advice) {
    this.label = label;
    this.advice = advice;
  }

  static Limit of(Cause cause) {
    return switch (cause.root()) {
      case "memory_insufficient",
          "watermark",
          "full_sequence_reserve",
          "capacity_reserved",
          "preempted",
          "evicted",
          "preemption_in_step",
          "stale_output" ->
          KV_BLOCKS;
      case "max_num_batched_tokens",
          "decode_priority",
          "chunked_prefill",
          "chunked_prefill_disabled",
          "prefill_throttled",
          "block_alignment",
          "draft_padding" ->
          TOKEN_BUDGET;
      case "max_num_seqs", "max_num_active_seqs" -> SEATS;
      case "initial_waiting" -> STEP_BOUNDARY;
      case "policy_deferred", "decode_spacing", "prefix_in_progress" -> POLICY;
      case "max_loras" -> ADAPTERS;
      case "paused" -> PAUSE;
      default -> OTHER;
    };
  }

  /** Text after "waiting for". */
  String label() {
    return label;
  }

  /** What to do about it. */
  String advice() {
    return advice;
  }
}
