-- Per policy, over all cells: how many, and exact quantiles of their tail latencies.
SELECT
  policy,
  COUNT(*) AS runs,
  SUM(requests_finished) AS requests,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY ttft_p99_ns) AS ttft_p99_median_ns,
  MAX(ttft_p99_ns) AS ttft_p99_worst_ns,
  percentile_cont(0.5) WITHIN GROUP (ORDER BY tpot_p99_ns) AS tpot_p99_median_ns
FROM sweep
WHERE error IS NULL
GROUP BY policy
ORDER BY policy
