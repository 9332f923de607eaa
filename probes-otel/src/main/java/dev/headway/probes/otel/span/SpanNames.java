package dev.headway.probes.otel.span;

import static io.opentelemetry.api.common.AttributeKey.booleanKey;
import static io.opentelemetry.api.common.AttributeKey.doubleKey;
import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.common.AttributeKey;

/**
 * Every name that a span carries. vLLM's are as its journey and step tracing writes them; those of
 * {@code headway.} are ours, units at the end of the name. A rename is a change of this file.
 */
public final class SpanNames {

  // spans and their tracers

  public static final String API_SPAN = "llm_request";
  public static final String API_SCOPE = "vllm.api";
  public static final String CORE_SPAN = "llm_core";
  public static final String CORE_SCOPE = "vllm.scheduler";
  public static final String STEP_SPAN_PREFIX = "scheduler_steps_";
  public static final String STEP_SCOPE = "vllm.scheduler.step";

  // events; those of a journey are a prefix and a type

  public static final String API_EVENT_PREFIX = "api.";
  public static final String CORE_EVENT_PREFIX = "journey.";
  public static final String QUEUED = "QUEUED";
  public static final String SCHEDULED = "SCHEDULED";
  public static final String FIRST_TOKEN = "FIRST_TOKEN";
  public static final String PREEMPTED = "PREEMPTED";
  public static final String FINISHED = "FINISHED";
  public static final String BLOCKED = "BLOCKED";
  public static final String UNBLOCKED = "UNBLOCKED";
  public static final String CHUNK_SCHEDULED = "CHUNK_SCHEDULED";
  public static final String REJECTED = "REJECTED";
  public static final String UNFINISHED = "UNFINISHED";
  public static final String BATCH_SUMMARY = "step.BATCH_SUMMARY";
  public static final String REQUEST_SNAPSHOT = "step.REQUEST_SNAPSHOT";

  // attributes of llm_request and llm_core

  public static final AttributeKey<String> REQUEST_ID = stringKey("gen_ai.request.id");
  public static final AttributeKey<String> RESPONSE_MODEL = stringKey("gen_ai.response.model");
  public static final AttributeKey<Long> MAX_TOKENS = longKey("gen_ai.request.max_tokens");
  public static final AttributeKey<Long> PROMPT_TOKENS = longKey("gen_ai.usage.prompt_tokens");
  public static final AttributeKey<Long> COMPLETION_TOKENS =
      longKey("gen_ai.usage.completion_tokens");
  public static final AttributeKey<String> TENANT = stringKey("headway.tenant");
  public static final AttributeKey<Long> PRIORITY = longKey("headway.priority");
  public static final AttributeKey<String> ADAPTER = stringKey("headway.lora_adapter");
  public static final AttributeKey<Long> INGRESS_NS = longKey("headway.ingress_ns");
  public static final AttributeKey<Long> TTFT_TARGET_NS = longKey("headway.ttft_target_ns");
  public static final AttributeKey<Boolean> TTFT_TARGET_MISSED =
      booleanKey("headway.ttft_target_missed");
  public static final AttributeKey<String> SAMPLED_BY = stringKey("headway.sampled_by");

  // attributes of api events

  public static final AttributeKey<Double> API_TS_MONOTONIC = doubleKey("event.ts.monotonic");
  public static final AttributeKey<String> API_REASON = stringKey("reason");
  public static final AttributeKey<String> API_ERROR = stringKey("error");

  // attributes of journey events

  public static final AttributeKey<String> EVENT_TYPE = stringKey("event.type");
  public static final AttributeKey<Double> TS_MONOTONIC = doubleKey("ts.monotonic");
  public static final AttributeKey<Long> TS_MONOTONIC_NS = longKey("ts.monotonic_ns");
  public static final AttributeKey<Long> SCHEDULER_STEP = longKey("scheduler.step");
  public static final AttributeKey<String> PHASE = stringKey("phase");
  public static final AttributeKey<Long> PREFILL_DONE = longKey("prefill.done_tokens");
  public static final AttributeKey<Long> PREFILL_TOTAL = longKey("prefill.total_tokens");
  public static final AttributeKey<Long> DECODE_DONE = longKey("decode.done_tokens");
  public static final AttributeKey<Long> DECODE_MAX = longKey("decode.max_tokens");
  public static final AttributeKey<Long> NUM_PREEMPTIONS = longKey("num_preemptions");
  public static final AttributeKey<String> SCHEDULE_KIND = stringKey("schedule.kind");
  public static final AttributeKey<String> FINISH_STATUS = stringKey("finish.status");
  public static final AttributeKey<Long> CACHED_TOKENS = longKey("headway.cached_tokens");
  public static final AttributeKey<Long> HOST_CACHED_TOKENS = longKey("headway.host_cached_tokens");
  public static final AttributeKey<Long> EVICTED_TOKENS = longKey("headway.evicted_tokens");
  public static final AttributeKey<String> BLOCKED_REASON = stringKey("headway.blocked.reason");
  public static final AttributeKey<String> BLOCKER_ID = stringKey("headway.blocked.by");
  public static final AttributeKey<Long> BLOCKED_NEEDED = longKey("headway.blocked.needed");
  public static final AttributeKey<Long> BLOCKED_FREE = longKey("headway.blocked.free");
  public static final AttributeKey<String> PREEMPTION_CAUSE = stringKey("headway.preemption.cause");
  public static final AttributeKey<String> BENEFICIARY_ID =
      stringKey("headway.preemption.beneficiary");
  public static final AttributeKey<Long> LOST_TOKENS = longKey("headway.preemption.lost_tokens");
  public static final AttributeKey<Long> FREED_BLOCKS = longKey("headway.freed_blocks");
  public static final AttributeKey<Long> CHUNK_INDEX = longKey("headway.chunk.index");
  public static final AttributeKey<Long> CHUNK_FROM = longKey("headway.chunk.from_token");
  public static final AttributeKey<Long> CHUNK_TOKENS = longKey("headway.chunk.tokens");
  public static final AttributeKey<String> FINISH_REASON = stringKey("headway.finish.reason");
  public static final AttributeKey<String> FINISH_CAUSE = stringKey("headway.finish.cause");
  public static final AttributeKey<Long> STOP_TOKEN_ID = longKey("headway.finish.stop_token_id");
  public static final AttributeKey<String> REJECT_REASON = stringKey("headway.reject.reason");
  public static final AttributeKey<String> REJECT_MESSAGE = stringKey("headway.reject.message");
  public static final AttributeKey<String> UNFINISHED_REASON =
      stringKey("headway.unfinished.reason");

  // attributes of step spans

  public static final AttributeKey<Long> SPAN_SEQUENCE = longKey("scheduler.span_sequence");
  public static final AttributeKey<Long> RANGE_START = longKey("scheduler.step_range_start");
  public static final AttributeKey<Long> RANGE_END = longKey("scheduler.step_range_end");
  public static final AttributeKey<Long> CLOSURE_INTERVAL = longKey("scheduler.closure_interval");

  // attributes of step events

  public static final AttributeKey<Long> STEP_ID = longKey("step.id");
  public static final AttributeKey<Long> STEP_START_NS = longKey("step.ts_start_ns");
  public static final AttributeKey<Long> STEP_END_NS = longKey("step.ts_end_ns");
  public static final AttributeKey<Long> STEP_DURATION_US = longKey("step.duration_us");
  public static final AttributeKey<Long> RUNNING_DEPTH = longKey("queue.running_depth");
  public static final AttributeKey<Long> WAITING_DEPTH = longKey("queue.waiting_depth");
  public static final AttributeKey<Long> PREFILL_REQS = longKey("batch.num_prefill_reqs");
  public static final AttributeKey<Long> DECODE_REQS = longKey("batch.num_decode_reqs");
  public static final AttributeKey<Long> BATCH_TOKENS = longKey("batch.scheduled_tokens");
  public static final AttributeKey<Long> BATCH_PREFILL_TOKENS = longKey("batch.prefill_tokens");
  public static final AttributeKey<Long> BATCH_DECODE_TOKENS = longKey("batch.decode_tokens");
  public static final AttributeKey<Long> BATCH_FINISHED = longKey("batch.num_finished");
  public static final AttributeKey<Long> BATCH_PREEMPTED = longKey("batch.num_preempted");
  public static final AttributeKey<Double> KV_USAGE = doubleKey("kv.usage_gpu_ratio");
  public static final AttributeKey<Long> KV_TOTAL = longKey("kv.blocks_total_gpu");
  public static final AttributeKey<Long> KV_FREE = longKey("kv.blocks_free_gpu");
  public static final AttributeKey<Long> SCHEDULE_NS = longKey("headway.step.schedule_ns");
  public static final AttributeKey<Long> PREPARE_NS = longKey("headway.step.prepare_ns");
  public static final AttributeKey<Long> FORWARD_NS = longKey("headway.step.forward_ns");
  public static final AttributeKey<Long> SAMPLE_NS = longKey("headway.step.sample_ns");
  public static final AttributeKey<Long> UPDATE_NS = longKey("headway.step.update_ns");
  public static final AttributeKey<Long> GAP_NS = longKey("headway.step.gap_ns");
  public static final AttributeKey<Long> PRODUCED_TOKENS = longKey("headway.step.produced_tokens");
  public static final AttributeKey<String> STEP_FAILURE = stringKey("headway.step.failure");
  public static final AttributeKey<String> SNAPSHOT_ID = stringKey("request.id");
  public static final AttributeKey<String> SNAPSHOT_PHASE = stringKey("request.phase");
  public static final AttributeKey<Long> SNAPSHOT_PROMPT = longKey("request.num_prompt_tokens");
  public static final AttributeKey<Long> SNAPSHOT_COMPUTED = longKey("request.num_computed_tokens");
  public static final AttributeKey<Long> SNAPSHOT_OUTPUT = longKey("request.num_output_tokens");
  public static final AttributeKey<Long> SNAPSHOT_PREEMPTIONS = longKey("request.num_preemptions");
  public static final AttributeKey<Long> SNAPSHOT_SCHEDULED =
      longKey("request.scheduled_tokens_this_step");
  public static final AttributeKey<Long> SNAPSHOT_ALLOCATED = longKey("kv.blocks_allocated_gpu");
  public static final AttributeKey<Long> SNAPSHOT_CACHED = longKey("kv.blocks_cached_gpu");
  public static final AttributeKey<Long> SNAPSHOT_EFFECTIVE_PROMPT =
      longKey("request.effective_prompt_len");

  // attributes of the resource

  public static final AttributeKey<String> SERVICE_NAME = stringKey("service.name");
  public static final AttributeKey<String> HEADWAY_VERSION = stringKey("headway.version");
  public static final AttributeKey<Boolean> VIRTUAL_TIME = booleanKey("headway.virtual_time");

  private SpanNames() {}
}
