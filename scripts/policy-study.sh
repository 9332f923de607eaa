#!/bin/sh
# Runs the comparisons of docs/benchmarks/policies.md; their CSV files go to out/policies/NAME, the
# tables to out/policies/NAME.txt. Needs Mooncake's conversation_trace.jsonl.gz for the first four:
#
#   scripts/policy-study.sh [path/to/conversation_trace.jsonl.gz]
#
# HEADWAY is the program to run, OUT another directory. About ten minutes on two cores.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
headway=${HEADWAY:-$root/headway}
out=${OUT:-$root/out/policies}
mooncake=${1:-}
mkdir -p "$out"

# study NAME LOAD OPTIONS...
study() {
  name=$1
  shift
  echo "$name" >&2
  "$headway" compare "$@" --overwrite --out "$out/$name" >"$out/$name.txt"
}

victims='--policy last-admitted --policy least-computed --policy fewest-outputs
  --policy cost-aware --policy most-kv'
orders='--policy fcfs --policy shortest-prefill --policy shortest-job --policy hrrn
  --policy longest-prefix-match --policy vtc --policy earliest-deadline --policy least-slack
  --policy longest-output-first --policy random'

# the lists are split at blanks on purpose
# shellcheck disable=SC2086
{
  if [ -n "$mooncake" ]; then
    scaled="$mooncake --rate-scale 0.4 --kv-gib 12"
    study victims-mooncake-cached $scaled $victims
    study victims-mooncake $scaled --no-prefix-caching $victims
    study victims-mooncake-chunk-cached $scaled --limit 2000 --no-full-sequence-gate $victims
    study victims-mooncake-chunk $scaled --limit 2000 --no-full-sequence-gate \
      --no-prefix-caching $victims
  fi
  long='long-outputs(requests=3000,rate=3,seed=1)'
  for seed in 1 2 3 4 5; do
    load="long-outputs(requests=3000,rate=3,seed=$seed)"
    study "victims-long-outputs-cached-$seed" "$load" --kv-gib 9 --resamples 0 $victims
    study "victims-long-outputs-$seed" "$load" --kv-gib 9 --resamples 0 --no-prefix-caching $victims
  done
  study victims-long-outputs-chunk-cached "$long" --kv-gib 9 --no-full-sequence-gate $victims
  study victims-long-outputs-chunk "$long" --kv-gib 9 --no-full-sequence-gate \
    --no-prefix-caching $victims

  study orders-short-long 'short-long(requests=4000,rate=15,seed=1)' --short-prompt 2000 $orders
  study orders-tenants 'bursty-tenants(requests=6000,rate=16,tenants=5,seed=1)' \
    --max-num-seqs 64 --fairness-window 2 $orders
  study orders-sharing 'synthetic(requests=4000,rate=22,tenants=5,seed=1)' --kv-gib 16 $orders

  for gib in 16 9.6 4.8; do
    study "capacity-$gib" "$long" --kv-gib $gib --slo-ttft 10000 \
      --policy optimistic --policy new-token-ratio --policy no-evict \
      --policy 'engine(watermark=0.05)'
  done

  study itl 'short-long(requests=4000,rate=10,seed=1)' --short-prompt 2000 \
    --policy fcfs \
    --policy 'token-budget(itl-target-ms=100)' \
    --policy 'token-budget(itl-target-ms=50)' \
    --policy 'token-budget(itl-target-ms=25)' \
    --policy 'engine(max-num-batched-tokens=2048)' \
    --policy 'engine(max-num-batched-tokens=512)' \
    --policy equal-progress
}
