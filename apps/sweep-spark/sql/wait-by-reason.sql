-- What the time in the queue was spent on, over all runs of each policy, in permille.
-- Whole numbers throughout, so that the answer does not depend on the order of the rows.
SELECT
  waits.policy,
  waits.reason,
  waits.waited_ns,
  CAST(FLOOR(1000.0 * waits.waited_ns / totals.waited_ns) AS BIGINT) AS permille
FROM (
  SELECT policy, 'initial_waiting' AS reason, SUM(wait_initial_waiting_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'max_num_seqs' AS reason, SUM(wait_max_num_seqs_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'max_num_batched_tokens' AS reason, SUM(wait_max_num_batched_tokens_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'decode_priority' AS reason, SUM(wait_decode_priority_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'chunked_prefill' AS reason, SUM(wait_chunked_prefill_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'chunked_prefill_disabled' AS reason, SUM(wait_chunked_prefill_disabled_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'draft_padding' AS reason, SUM(wait_draft_padding_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'prefill_throttled' AS reason, SUM(wait_prefill_throttled_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'block_alignment' AS reason, SUM(wait_block_alignment_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'max_loras' AS reason, SUM(wait_max_loras_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'stale_output' AS reason, SUM(wait_stale_output_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'policy_deferred' AS reason, SUM(wait_policy_deferred_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'capacity_reserved' AS reason, SUM(wait_capacity_reserved_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'prefix_in_progress' AS reason, SUM(wait_prefix_in_progress_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'max_num_active_seqs' AS reason, SUM(wait_max_num_active_seqs_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'paused' AS reason, SUM(wait_paused_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'memory_insufficient' AS reason, SUM(wait_memory_insufficient_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'watermark' AS reason, SUM(wait_watermark_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'full_sequence_reserve' AS reason, SUM(wait_full_sequence_reserve_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'head_of_line' AS reason, SUM(wait_head_of_line_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'preemption_in_step' AS reason, SUM(wait_preemption_in_step_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'output_in_flight' AS reason, SUM(wait_output_in_flight_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'decode_spacing' AS reason, SUM(wait_decode_spacing_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'stalled' AS reason, SUM(wait_stalled_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'context_length_limit' AS reason, SUM(wait_context_length_limit_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'preempted' AS reason, SUM(wait_preempted_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'evicted' AS reason, SUM(wait_evicted_ns) AS waited_ns FROM sweep GROUP BY policy
  UNION ALL
  SELECT policy, 'recomputation' AS reason, SUM(wait_recomputation_ns) AS waited_ns FROM sweep GROUP BY policy
) waits
JOIN (SELECT policy, SUM(waited_ns) AS waited_ns FROM sweep GROUP BY policy) totals
  ON totals.policy = waits.policy
WHERE waits.waited_ns > 0
ORDER BY waits.policy, waits.waited_ns DESC, waits.reason
