package dev.headway.probes.otel.metric;

/**
 * Every name that a scrape carries. Those of {@code vllm:} are vLLM's, those of {@code sglang:}
 * SGLang's and those of {@code gen_ai_} OpenTelemetry's as Prometheus writes them; those of {@code
 * headway_} are ours. Counters get {@code _total}. A rename is a change of this file.
 */
public final class MetricNames {

  // labels

  public static final String MODEL_NAME = "model_name";
  public static final String ENGINE = "engine";
  public static final String FINISHED_REASON = "finished_reason";
  public static final String REASON = "reason";
  public static final String SOURCE = "source";
  public static final String SLEEP_STATE = "sleep_state";
  public static final String CAUSE = "cause";
  public static final String POSITION = "position";
  public static final String LIMIT = "limit";
  public static final String PHASE = "phase";
  public static final String STATE = "state";
  public static final String MAX_LORA = "max_lora";
  public static final String LORA_NAME = "lora_name";
  public static final String RUNNING_ADAPTERS = "running_lora_adapters";
  public static final String WAITING_ADAPTERS = "waiting_lora_adapters";
  public static final String ENGINE_TYPE = "engine_type";
  public static final String TP_RANK = "tp_rank";
  public static final String PP_RANK = "pp_rank";
  public static final String MOE_EP_RANK = "moe_ep_rank";
  public static final String CACHE_SOURCE = "cache_source";
  public static final String MODE = "mode";
  public static final String OPERATION_NAME = "gen_ai_operation_name";
  public static final String PROVIDER_NAME = "gen_ai_provider_name";
  public static final String REQUEST_MODEL = "gen_ai_request_model";
  public static final String ERROR_TYPE = "error_type";

  // vLLM: gauges

  public static final String RUNNING = "vllm:num_requests_running";
  public static final String WAITING = "vllm:num_requests_waiting";
  public static final String WAITING_BY_REASON = "vllm:num_requests_waiting_by_reason";
  public static final String KV_USAGE = "vllm:kv_cache_usage_perc";
  public static final String SLEEP = "vllm:engine_sleep_state";
  public static final String CACHE_CONFIG = "vllm:cache_config";
  public static final String LORA_REQUESTS = "vllm:lora_requests_info";

  // vLLM: KV blocks, where they are sampled

  public static final String KV_BLOCK_LIFETIME = "vllm:kv_block_lifetime_seconds";
  public static final String KV_BLOCK_IDLE = "vllm:kv_block_idle_before_evict_seconds";
  public static final String KV_BLOCK_REUSE_GAP = "vllm:kv_block_reuse_gap_seconds";

  // vLLM: counters

  public static final String PREFIX_QUERIES = "vllm:prefix_cache_queries";
  public static final String PREFIX_HITS = "vllm:prefix_cache_hits";
  public static final String EXTERNAL_QUERIES = "vllm:external_prefix_cache_queries";
  public static final String EXTERNAL_HITS = "vllm:external_prefix_cache_hits";
  public static final String PREEMPTIONS = "vllm:num_preemptions";
  public static final String PROMPT_TOKENS = "vllm:prompt_tokens";
  public static final String PROMPT_TOKENS_CACHED = "vllm:prompt_tokens_cached";
  public static final String PROMPT_TOKENS_BY_SOURCE = "vllm:prompt_tokens_by_source";
  public static final String GENERATION_TOKENS = "vllm:generation_tokens";
  public static final String REQUEST_SUCCESS = "vllm:request_success";
  public static final String DRAFTS = "vllm:spec_decode_num_drafts";
  public static final String DRAFT_TOKENS = "vllm:spec_decode_num_draft_tokens";
  public static final String ACCEPTED_TOKENS = "vllm:spec_decode_num_accepted_tokens";
  public static final String ACCEPTED_PER_POSITION = "vllm:spec_decode_num_accepted_tokens_per_pos";

  // vLLM: histograms

  /** Not a counter, in spite of its name. */
  public static final String ITERATION_TOKENS = "vllm:iteration_tokens_total";

  public static final String REQUEST_PROMPT_TOKENS = "vllm:request_prompt_tokens";
  public static final String REQUEST_GENERATION_TOKENS = "vllm:request_generation_tokens";
  public static final String REQUEST_MAX_GENERATION_TOKENS =
      "vllm:request_max_num_generation_tokens";
  public static final String REQUEST_PARAMS_MAX_TOKENS = "vllm:request_params_max_tokens";
  public static final String REQUEST_PARAMS_N = "vllm:request_params_n";
  public static final String REQUEST_COMPUTED_TOKENS = "vllm:request_prefill_kv_computed_tokens";
  public static final String REQUEST_PREEMPTIONS = "vllm:request_num_preemptions";
  public static final String TIME_TO_FIRST_TOKEN = "vllm:time_to_first_token_seconds";
  public static final String INTER_TOKEN_LATENCY = "vllm:inter_token_latency_seconds";
  public static final String TIME_PER_OUTPUT_TOKEN = "vllm:request_time_per_output_token_seconds";
  public static final String E2E_LATENCY = "vllm:e2e_request_latency_seconds";
  public static final String QUEUE_TIME = "vllm:request_queue_time_seconds";
  public static final String INFERENCE_TIME = "vllm:request_inference_time_seconds";
  public static final String PREFILL_TIME = "vllm:request_prefill_time_seconds";
  public static final String DECODE_TIME = "vllm:request_decode_time_seconds";

  // SGLang: gauges

  public static final String SGLANG_RUNNING = "sglang:num_running_reqs";
  public static final String SGLANG_QUEUED = "sglang:num_queue_reqs";
  public static final String SGLANG_USED_TOKENS = "sglang:num_used_tokens";
  public static final String SGLANG_MAX_TOKENS = "sglang:max_total_num_tokens";
  public static final String SGLANG_TOKEN_USAGE = "sglang:token_usage";
  public static final String SGLANG_HIT_RATE = "sglang:cache_hit_rate";
  public static final String SGLANG_THROUGHPUT = "sglang:gen_throughput";
  public static final String SGLANG_RETRACTED = "sglang:num_retracted_reqs";

  // SGLang: counters

  /** {@code requests} where the gauge says {@code reqs}. */
  public static final String SGLANG_ALL_RETRACTED = "sglang:num_retracted_requests";

  public static final String SGLANG_REALTIME_TOKENS = "sglang:realtime_tokens";
  public static final String SGLANG_PROMPT_TOKENS = "sglang:prompt_tokens";
  public static final String SGLANG_GENERATION_TOKENS = "sglang:generation_tokens";
  public static final String SGLANG_CACHED_TOKENS = "sglang:cached_tokens";
  public static final String SGLANG_REQUESTS = "sglang:num_requests";
  public static final String SGLANG_ABORTED = "sglang:num_aborted_requests";

  // SGLang: histograms

  public static final String SGLANG_FIRST_TOKEN = "sglang:time_to_first_token_seconds";
  public static final String SGLANG_INTER_TOKEN = "sglang:inter_token_latency_seconds";
  public static final String SGLANG_E2E = "sglang:e2e_request_latency_seconds";
  public static final String SGLANG_QUEUE_TIME = "sglang:queue_time_seconds";

  // OpenTelemetry, generative AI, server

  public static final String GEN_AI_FIRST_TOKEN = "gen_ai_server_time_to_first_token_seconds";
  public static final String GEN_AI_OUTPUT_TOKEN = "gen_ai_server_time_per_output_token_seconds";
  public static final String GEN_AI_DURATION = "gen_ai_server_request_duration_seconds";

  // ours

  public static final String WAITING_SECONDS = "headway_waiting_seconds";
  public static final String WAITING_REQUESTS = "headway_waiting_requests";
  public static final String LORA_REQUEST_COUNTS = "headway_lora_requests";
  public static final String PREEMPTIONS_BY_CAUSE = "headway_preemptions";
  public static final String LOST_TOKENS = "headway_preemption_lost_tokens";
  public static final String RECOMPUTED_TOKENS = "headway_recomputed_tokens";
  public static final String REJECTIONS = "headway_rejections";
  public static final String FINISHED = "headway_finished_requests";
  public static final String QUEUE_SECONDS = "headway_queue_time_seconds";
  public static final String STEP_PHASE_SECONDS = "headway_step_phase_seconds";
  public static final String STEP_BATCH = "headway_step_batch_requests";
  public static final String STEPS_FAILED = "headway_failed_steps";
  public static final String KV_BLOCKS = "headway_kv_blocks";
  public static final String EVICTED_KV_BLOCKS = "headway_evicted_kv_blocks";
  public static final String SAVED_KV_BLOCKS = "headway_saved_kv_blocks";
  public static final String LOADED_KV_BLOCKS = "headway_loaded_kv_blocks";
  public static final String TTFT_TARGETS = "headway_ttft_targets";
  public static final String DEVICE_MEMORY = "headway_device_memory_used_bytes";
  public static final String DEVICE_UTILIZATION = "headway_device_utilization_ratio";
  public static final String DROPPED_RECORDS = "headway_dropped_records";
  public static final String LIMITS = "headway_limit";
  public static final String UNKNOWN_REQUESTS = "headway_unknown_request_records";

  private MetricNames() {}
}
