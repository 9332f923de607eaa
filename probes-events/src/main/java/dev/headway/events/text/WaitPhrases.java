package dev.headway.events.text;

import static java.util.Map.entry;

import java.util.Map;

/**
 * What wait reasons mean, in a few words that fit after "it waited: "; {@code ${name}} is a setting
 * of the run.
 */
public final class WaitPhrases {

  private static final Map<String, String> MEANINGS =
      Map.ofEntries(
          entry("initial_waiting", "no decision had seen it yet"),
          entry("max_num_seqs", "all seats were taken (maxNumSeqs=${maxNumSeqs})"),
          entry(
              "max_num_batched_tokens",
              "others took the rest of the token budget"
                  + " (maxNumBatchedTokens=${maxNumBatchedTokens})"),
          entry(
              "decode_priority",
              "running decodes alone used up the token budget"
                  + " (maxNumBatchedTokens=${maxNumBatchedTokens})"),
          entry(
              "chunked_prefill",
              "a running prompt chunk used up the token budget"
                  + " (maxNumBatchedTokens=${maxNumBatchedTokens})"),
          entry(
              "chunked_prefill_disabled",
              "its tokens did not fit into the rest of the budget, and chunked prefill is off"),
          entry(
              "draft_padding",
              "it needs room for its draft tokens too, and the rest of the budget did not have it"),
          entry("prefill_throttled", "prompts were not computed while others decoded"),
          entry(
              "block_alignment",
              "no chunk that ends at a block boundary fitted into the rest of the budget"),
          entry("max_loras", "as many other LoRA adapters were in use as there may be"),
          entry("stale_output", "results from before its preemption were still out"),
          entry("policy_deferred", "the admission policy put it off"),
          entry("capacity_reserved", "the capacity policy kept the free KV blocks for others"),
          entry("prefix_in_progress", "the state that its prefix ends with was being computed"),
          entry("max_num_active_seqs", "as many requests were active as there may be"),
          entry("paused", "scheduling was paused"),
          entry("memory_insufficient", "its next tokens needed more KV blocks than were free"),
          entry(
              "watermark",
              "enough KV blocks were free, but taking them would have gone below the watermark"),
          entry("full_sequence_reserve", "its whole sequence must fit before it starts"),
          entry("head_of_line", "a request ahead of it in the queue was refused"),
          entry(
              "preemption_in_step", "a request was preempted in the step, which closes admissions"),
          entry("output_in_flight", "all it knew was scheduled, and an output was due"),
          entry("decode_spacing", "the pipeline's stages take turns, and it was another's"),
          entry("stalled", "no KV blocks were free, and the policy preempted none"),
          entry("context_length_limit", "its context was full (maxModelLen=${maxModelLen})"),
          entry("preempted", "it was preempted and had not been considered since"),
          entry("evicted", "it was preempted by a reset of the prefix cache"),
          entry("step_in_progress", "the engine takes requests in between two steps"),
          entry("engine_idle", "the engine thread had to wake up"));

  private WaitPhrases() {}

  /** Whether it is a reason that this version knows. */
  public static boolean knows(String reason) {
    return MEANINGS.containsKey(reason);
  }

  /** What a reason means, without settings. */
  public static String meaning(String reason) {
    return meaning(reason, Map.of());
  }

  /**
   * What a reason means. A setting that {@code settings} does not have is not mentioned.
   *
   * @param settings of the scheduler by name
   */
  public static String meaning(String reason, Map<String, String> settings) {
    final String meaning =
        MEANINGS.getOrDefault(reason, "a reason that this version does not know");
    final int from = meaning.indexOf("${");
    if (from < 0) {
      return meaning;
    }
    final int to = meaning.indexOf('}', from);
    final String value = settings.get(meaning.substring(from + 2, to));
    return value == null
        ? meaning.substring(0, meaning.lastIndexOf(" (", from))
        : meaning.substring(0, from) + value + meaning.substring(to + 1);
  }
}
