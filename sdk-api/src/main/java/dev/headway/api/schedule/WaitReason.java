package dev.headway.api.schedule;

import dev.headway.api.request.HoldReason;

/**
 * Why a request got no tokens in a step, or not all it could have used. Always what the decision
 * itself returned.
 *
 * <p>A waiting request has an individual reason if the step examined it; those that were not
 * examined share the reason for which the admissions of the step ended. The label is the word in
 * CSV files.
 */
public enum WaitReason {
  /**
   * Queued after the latest step was scheduled: no decision has considered it yet. Never reported
   * to a probe: readers derive it from the instant of queueing.
   */
  INITIAL_WAITING("initial_waiting"),
  /** Admissions ended because {@code maxNumSeqs} requests were running. */
  MAX_NUM_SEQS("max_num_seqs"),
  /**
   * Admissions ended because the requests admitted in this step took the rest of {@code
   * maxNumBatchedTokens}; or a running request found the token budget used up before its turn.
   */
  MAX_NUM_BATCHED_TOKENS("max_num_batched_tokens"),
  /** No admission: running decodes alone used up {@code maxNumBatchedTokens}. */
  DECODE_PRIORITY("decode_priority"),
  /**
   * No admission: running requests used up {@code maxNumBatchedTokens}, a prefill chunk among them;
   * for a running request: its prompt was cut to a chunk and continues in the next step.
   */
  CHUNKED_PREFILL("chunked_prefill"),
  /**
   * Examined: chunked prefill is off and its tokens do not fit into what was left of the budget; or
   * that of multi-modal items is, and those of its item do not.
   */
  CHUNKED_PREFILL_DISABLED("chunked_prefill_disabled"),
  /**
   * Examined: a request of one token needs room for its draft tokens too, and what was left of the
   * budget or the context did not have it.
   */
  DRAFT_PADDING("draft_padding"),
  /**
   * Examined: prompts are not computed in this step, since other requests decode; or a running
   * request is in the middle of its prompt then.
   */
  PREFILL_THROTTLED("prefill_throttled"),
  /**
   * Examined: no chunk that ends at a block boundary fits into what was left of the budget; or a
   * running request found the same.
   */
  BLOCK_ALIGNMENT("block_alignment"),
  /**
   * Examined and passed over: as many other LoRA adapters are in use as there may be; or its own is
   * drained, so that one that has waited for long gets a place.
   */
  MAX_LORAS("max_loras"),
  /** Examined and passed over: results from before its preemption are still out. */
  STALE_OUTPUT("stale_output"),
  /**
   * Examined and passed over: the admission policy defers it, or holds it until something happens.
   */
  POLICY_DEFERRED("policy_deferred"),
  /** Examined: the capacity policy keeps the free KV blocks for requests that run. */
  CAPACITY_RESERVED("capacity_reserved"),
  /** Examined: the state or block that its prefix ends in is written in this very step. */
  PREFIX_IN_PROGRESS("prefix_in_progress"),
  /**
   * Examined: its next tokens need an item for which too little was left of the encoder's budget of
   * the step; or a running request found the same.
   */
  ENCODER_BUDGET("encoder_budget"),
  /**
   * Examined: its next tokens need an item for which the encoder's cache had no room, since other
   * requests refer to what it holds; or a running request found the same.
   */
  ENCODER_CACHE("encoder_cache"),
  /** Admissions ended because {@code maxNumActiveSeqs} requests were running. */
  MAX_NUM_ACTIVE_SEQS("max_num_active_seqs"),
  /** No request is admitted, or none is scheduled, because scheduling is paused. */
  PAUSED("paused"),
  /**
   * Examined: its tokens of this step need more KV blocks than were free; or a running request that
   * no preemption could help waits for output that is due, which may end it or move its window on.
   */
  MEMORY_INSUFFICIENT("memory_insufficient"),
  /**
   * Examined: its blocks, of this step or of the whole sequence where that must fit, were free, but
   * taking them would have gone below the watermark.
   */
  WATERMARK("watermark"),
  /** Examined: the whole sequence must fit before it starts, and its blocks were not free. */
  FULL_SEQUENCE_RESERVE("full_sequence_reserve"),
  /** Not examined: the request named as blocker is ahead of it in the queue and was refused. */
  HEAD_OF_LINE("head_of_line"),
  /**
   * Not examined: a request was preempted in this step, which closes admissions; or a running
   * request comes after one that was preempted for lack of blocks for itself.
   */
  PREEMPTION_IN_STEP("preemption_in_step"),
  /**
   * Running, no tokens: all its known tokens are scheduled, and the output of an earlier step is
   * due.
   */
  OUTPUT_IN_FLIGHT("output_in_flight"),
  /**
   * Running, no tokens: with several pipeline stages, steps must pass between two decodes of a
   * request.
   */
  DECODE_SPACING("decode_spacing"),
  /**
   * Running, no tokens: no KV blocks were free and no request was preempted, by the victim policy
   * or because blocks that were given back are free once steps that are out have ended. Waiting:
   * not examined, because a running request lacks blocks in that way.
   */
  STALLED("stalled"),
  /** Running, no tokens: its context has reached {@code maxModelLen}. */
  CONTEXT_LENGTH_LIMIT("context_length_limit"),
  /** Preempted in this step: the request named as blocker needed its KV blocks or its seat. */
  PREEMPTED("preempted"),
  /** Preempted in this step by a prefix-cache reset that included running requests. */
  EVICTED("evicted"),
  /**
   * Running, no output: it computes again what a preemption took, up to the tokens it had computed
   * before. Never reported to a probe: readers derive it from the plan's entries.
   */
  RECOMPUTATION("recomputation"),
  /** Held: the grammar of its structured output is being compiled. */
  GRAMMAR("grammar"),
  /** Held: its LoRA adapter is being loaded. */
  ADAPTER_LOADING("adapter_loading"),
  /** Held: something else outside the scheduler has not happened yet. */
  EXTERNAL_HOLD("external_hold"),
  /** Held: a session whose turn is over, until it gets further input. */
  STREAMING_INPUT("streaming_input"),
  /** Held: its KV is being loaded from outside, into blocks that it has. */
  REMOTE_KV("remote_kv"),
  /** Examined and passed over: the KV connector does not know yet what it has of the prompt. */
  KV_LOOKUP("kv_lookup"),
  /**
   * Examined: the blocks for its load were free, but prefills in flight still need so many that the
   * load would have left them too few.
   */
  KV_LOAD_RESERVE("kv_load_reserve"),
  /**
   * Examined: the step would compute a part of its prompt only, and {@code maxNumPartialPrefills}
   * requests are in the middle of theirs; or its prompt is long and {@code maxLongPartialPrefills}
   * of those are, then it is passed over.
   */
  MAX_NUM_PARTIAL_PREFILLS("max_num_partial_prefills");

  private final String label;

  WaitReason(String label) {
    this.label = label;
  }

  /** The reason for which a held request waits. */
  public static WaitReason of(HoldReason hold) {
    return switch (hold) {
      case GRAMMAR -> GRAMMAR;
      case ADAPTER_LOADING -> ADAPTER_LOADING;
      case EXTERNAL -> EXTERNAL_HOLD;
    };
  }

  /** The word used in CSV files, journals and metrics. */
  public String label() {
    return label;
  }
}
