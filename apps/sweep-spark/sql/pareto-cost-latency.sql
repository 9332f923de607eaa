-- The cells that no other cell of the same load beats in both cost and tail latency.
-- Needs price_per_gpu_hour in the plan.
SELECT load, cell, probe, policy, gpus, cost_per_million_output_tokens, ttft_p99_ns
FROM sweep one
WHERE one.cost_per_million_output_tokens IS NOT NULL
  AND one.ttft_p99_ns IS NOT NULL
  AND NOT EXISTS (
    SELECT 1
    FROM sweep other
    WHERE other.load = one.load
      AND other.cost_per_million_output_tokens <= one.cost_per_million_output_tokens
      AND other.ttft_p99_ns <= one.ttft_p99_ns
      AND (other.cost_per_million_output_tokens < one.cost_per_million_output_tokens
        OR other.ttft_p99_ns < one.ttft_p99_ns)
  )
ORDER BY load, cost_per_million_output_tokens, cell, probe
