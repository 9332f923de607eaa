-- What the time in the queue was spent on, over all runs of each policy, in permille.
-- Sums of whole numbers, so that the answer does not depend on the order of the rows.
SELECT
  policy,
  reason,
  reason_ns,
  CAST(FLOOR(1000.0 * reason_ns / total_ns) AS BIGINT) AS permille
FROM (
  SELECT
    policy,
    SUM(waited_ns) AS total_ns,
    SUM(wait_initial_waiting_ns) AS initial_waiting,
    SUM(wait_max_num_seqs_ns) AS max_num_seqs,
    SUM(wait_max_num_batched_tokens_ns) AS max_num_batched_tokens,
    SUM(wait_decode_priority_ns) AS decode_priority,
    SUM(wait_chunked_prefill_ns) AS chunked_prefill,
    SUM(wait_chunked_prefill_disabled_ns) AS chunked_prefill_disabled,
    SUM(wait_draft_padding_ns) AS draft_padding,
    SUM(wait_prefill_throttled_ns) AS prefill_throttled,
    SUM(wait_block_alignment_ns) AS block_alignment,
    SUM(wait_max_loras_ns) AS max_loras,
    SUM(wait_stale_output_ns) AS stale_output,
    SUM(wait_policy_deferred_ns) AS policy_deferred,
    SUM(wait_capacity_reserved_ns) AS capacity_reserved,
    SUM(wait_prefix_in_progress_ns) AS prefix_in_progress,
    SUM(wait_encoder_budget_ns) AS encoder_budget,
    SUM(wait_encoder_cache_ns) AS encoder_cache,
    SUM(wait_max_num_active_seqs_ns) AS max_num_active_seqs,
    SUM(wait_paused_ns) AS paused,
    SUM(wait_memory_insufficient_ns) AS memory_insufficient,
    SUM(wait_watermark_ns) AS watermark,
    SUM(wait_full_sequence_reserve_ns) AS full_sequence_reserve,
    SUM(wait_head_of_line_ns) AS head_of_line,
    SUM(wait_preemption_in_step_ns) AS preemption_in_step,
    SUM(wait_output_in_flight_ns) AS output_in_flight,
    SUM(wait_decode_spacing_ns) AS decode_spacing,
    SUM(wait_stalled_ns) AS stalled,
    SUM(wait_context_length_limit_ns) AS context_length_limit,
    SUM(wait_preempted_ns) AS preempted,
    SUM(wait_evicted_ns) AS evicted,
    SUM(wait_recomputation_ns) AS recomputation,
    SUM(wait_grammar_ns) AS grammar,
    SUM(wait_adapter_loading_ns) AS adapter_loading,
    SUM(wait_external_hold_ns) AS external_hold,
    SUM(wait_streaming_input_ns) AS streaming_input
  FROM sweep
  WHERE error IS NULL
  GROUP BY policy
) UNPIVOT (
  reason_ns FOR reason IN (
    initial_waiting,
    max_num_seqs,
    max_num_batched_tokens,
    decode_priority,
    chunked_prefill,
    chunked_prefill_disabled,
    draft_padding,
    prefill_throttled,
    block_alignment,
    max_loras,
    stale_output,
    policy_deferred,
    capacity_reserved,
    prefix_in_progress,
    encoder_budget,
    encoder_cache,
    max_num_active_seqs,
    paused,
    memory_insufficient,
    watermark,
    full_sequence_reserve,
    head_of_line,
    preemption_in_step,
    output_in_flight,
    decode_spacing,
    stalled,
    context_length_limit,
    preempted,
    evicted,
    recomputation,
    grammar,
    adapter_loading,
    external_hold,
    streaming_input
  )
)
WHERE reason_ns > 0
ORDER BY policy, reason_ns DESC, reason
