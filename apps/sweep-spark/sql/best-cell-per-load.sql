-- The cell with the most requests within the limits per second, for each load.
-- Needs limits in the plan. Rows of a capacity search compete too, each at its rate.
SELECT load, cell, probe, policy, goodput_rps, goodput_share, ttft_p99_ns, tpot_p99_ns
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY load ORDER BY goodput_rps DESC, cell, probe) AS place
  FROM sweep
  WHERE error IS NULL AND goodput_rps IS NOT NULL
) ranked
WHERE place = 1
ORDER BY load
