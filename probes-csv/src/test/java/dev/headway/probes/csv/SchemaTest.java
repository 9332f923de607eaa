package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.schedule.WaitReason;
import dev.headway.probes.csv.projection.RowFiles;
import dev.headway.probes.csv.table.Column;
import dev.headway.probes.csv.table.ColumnDefinition;
import dev.headway.probes.csv.table.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SchemaTest {

  /** The promise: exactly these come first, for ever. */
  private static final Map<String, String> LEADING =
      Map.of(
          "per_request.csv",
          "request_id,arrival_time,first_scheduled_time,completion_time,waiting_time,"
              + "execution_time,e2e_latency,input_tokens,output_tokens,ttft,tpot,throughput,"
              + "preemption_count,eviction_count,kv_cache_blocks",
          "per_iteration.csv",
          "iteration_id,start_time,end_time,duration,scheduling_overhead,forward_duration,"
              + "batch_size,total_tokens,prefill_tokens,decode_tokens,kv_cache_used,"
              + "kv_cache_total,running_count,waiting_count,preempted_count,scheduler_action",
          "per_iteration_requests.csv",
          "iteration_id,request_id,state,queue_position,waiting_reason,tokens_generated,"
              + "kv_cache_blocks,time_in_state",
          "events.csv",
          "timestamp,event_type,request_id,details",
          "state_transitions.csv",
          "timestamp,request_id,from_state,to_state,reason,iteration_id,duration_in_from_state");

  /** Appended columns of schema version 1: a change here needs a new version. */
  private static final Map<String, String> APPENDED =
      Map.of(
          "per_request.csv",
          "run,request_number,status,finish_reason,stop_token_id,reject_reason,message,tenant,"
              + "priority_score,max_tokens,min_tokens,queued_time,first_token_time,"
              + "last_token_time,ingress_ns,queue_first_ns,ttft_engine_ns,prefill_time,"
              + "decode_time,decode_stall,timing_valid,total_tokens,current_iteration,"
              + "first_scheduled_iteration,computed_tokens,recomputed_tokens,cached_tokens,"
              + "resumed_cached_tokens,evicted_tokens,kv_cache_memory_bytes,starvation,"
              + "service_rate,wait_count,queue_position_first,queue_position_max,"
              + "queue_position_mean,queue_position_history,waiting_other_ns,"
              + "waiting_initial_waiting_ns,waiting_max_num_seqs_ns,"
              + "waiting_max_num_batched_tokens_ns,waiting_decode_priority_ns,"
              + "waiting_chunked_prefill_ns,waiting_chunked_prefill_disabled_ns,"
              + "waiting_memory_insufficient_ns,waiting_watermark_ns,"
              + "waiting_full_sequence_reserve_ns,waiting_head_of_line_ns,"
              + "waiting_preemption_in_step_ns,waiting_context_length_limit_ns,"
              + "waiting_preempted_ns,waiting_evicted_ns,waiting_recomputation_ns"
              + ",waiting_draft_padding_ns,waiting_prefill_throttled_ns"
              + ",waiting_block_alignment_ns,waiting_max_loras_ns"
              + ",waiting_stale_output_ns,waiting_policy_deferred_ns"
              + ",waiting_capacity_reserved_ns,waiting_prefix_in_progress_ns"
              + ",waiting_max_num_active_seqs_ns,waiting_paused_ns"
              + ",waiting_output_in_flight_ns,waiting_decode_spacing_ns"
              + ",waiting_stalled_ns"
              + ",waiting_grammar_ns,waiting_adapter_loading_ns,waiting_external_hold_ns"
              + ",waiting_encoder_budget_ns,waiting_encoder_cache_ns,waiting_streaming_input_ns"
              + ",waiting_remote_kv_ns,waiting_kv_lookup_ns,waiting_kv_load_reserve_ns"
              + ",waiting_max_num_partial_prefills_ns"
              + ",ttft_target_ns,ttft_target_met,timeout_ns,adapter,host_cached_tokens"
              + ",items,item_embeddings,external_cached_tokens,ingress_reason"
              + ",ingress_iteration,input_wait_count,queue_timeout_ns,run_timeout_ns,arrival_unix_ns,arrival_iso8601,first_scheduled_unix_ns"
              + ",first_scheduled_iso8601,completion_unix_ns,completion_iso8601,queued_unix_ns"
              + ",queued_iso8601,first_token_unix_ns,first_token_iso8601,last_token_unix_ns"
              + ",last_token_iso8601",
          "per_iteration.csv",
          "run,actions,scheduled_time,submit_time,output_time,prepare_ns,sample_ns,update_ns,"
              + "gap_ns,prefill_requests,tokens_produced,kv_cache_utilization,"
              + "kv_blocks_evicted,gpu_memory_used,gpu_utilization_permille,waiting_reason,"
              + "blocked_by,admitted_ids,preempted_ids,completed_ids,running_ids,waiting_ids,"
              + "failure,drafts,draft_tokens,accepted_tokens,root_reason,scheduling_host_ns,first_of_kind,"
              + "encoded_items,encoded_embeddings,activated_experts,start_unix_ns,"
              + "start_iso8601,end_unix_ns,end_iso8601,scheduled_unix_ns,scheduled_iso8601,"
              + "submit_unix_ns,submit_iso8601,output_unix_ns,output_iso8601",
          "per_iteration_requests.csv",
          "run,request_number,blocked_by,scheduled_tokens,computed_tokens,shares_reason,root_reason,"
              + "evicted_blocks",
          "events.csv",
          "run,request_number,iteration_id,timestamp_unix_ns,timestamp_iso8601",
          "state_transitions.csv",
          "run,request_number,timestamp_unix_ns,timestamp_iso8601");

  @TempDir private Path temporary;

  @Test
  void shouldWriteExactlyThePromisedHeaders() {
    final CsvResult result = CsvResult.of(EventScript.full().runEnded(1), temporary.resolve("o"));

    for (String file : LEADING.keySet()) {
      final String header = LEADING.get(file) + "," + APPENDED.get(file);
      assertThat(result.text(file)).startsWith(header + "\n");
    }
    assertThat(result.allText().keySet())
        .containsExactlyInAnyOrder(
            "per_request.csv",
            "per_iteration.csv",
            "per_iteration_requests.csv",
            "events.csv",
            "state_transitions.csv",
            "manifest.json");
  }

  @Test
  void shouldHaveAColumnForEveryReasonOfTheApi() {
    final List<String> header = RowFiles.tables().get(0).header();

    assertThat(Arrays.stream(WaitReason.values()).map(r -> "waiting_" + r.label() + "_ns"))
        .isSubsetOf(header);
  }

  @Test
  void shouldDescribeEveryColumnOnce() {
    for (Table<?> table : RowFiles.tables()) {
      final Set<String> names = new HashSet<>();
      for (Column<?> column : table.columns()) {
        final ColumnDefinition definition = column.definition();
        final String given = table.fileName() + ": " + definition;
        assertThat(names.add(definition.name())).as(given).isTrue();
        assertThat(definition.description()).as(given).endsWith(".");
        if (definition.name().endsWith("_ns") && definition.type().label().equals("integer")) {
          assertThat(definition.unit()).as(given).isEqualTo("ns");
        }
      }
      for (Column<?> column : table.columns()) {
        final ColumnDefinition definition = column.definition();
        if (!definition.begin().isEmpty()) {
          assertThat(names).contains(definition.begin(), definition.end());
        }
      }
    }
  }

  @Test
  void shouldWriteAManifestFromTheSameDefinitions() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("o"));

    final JsonNode manifest = new JsonMapper().readTree(result.manifest());

    assertThat(manifest.get("schema_version").asInt()).isEqualTo(1);
    assertThat(manifest.get("journal").get("end").asString()).isEqualTo("clean");
    final JsonNode run = manifest.get("runs").get(0);
    assertThat(run.get("clock_anchor").get("unix_epoch_ns").asLong())
        .isEqualTo(1_700_000_000_000_000_000L);
    assertThat(run.get("config").get("queuePolicy").asString()).isEqualTo("FCFS");
    assertThat(run.get("attributes").get("model").asString()).isEqualTo("toy");
    for (JsonNode file : manifest.get("files")) {
      final String name = file.get("name").asString();
      final List<String> columns = new ArrayList<>();
      file.get("columns").forEach(column -> columns.add(column.get("name").asString()));
      assertThat(result.text(name)).startsWith(String.join(",", columns) + "\n");
      assertThat(file.get("rows").asInt()).as(name).isEqualTo(result.rows(name).size());
    }
    final JsonNode ttft = manifest.get("files").get(0).get("columns").get(9);
    assertThat(ttft.get("begin").asString()).isEqualTo("arrival_time");
    assertThat(ttft.get("end").asString()).isEqualTo("first_token_time");
  }

  @Test
  void shouldRenderAReferenceOfEveryColumn() {
    final String page = CsvReference.markdown();

    for (Table<?> table : RowFiles.tables()) {
      assertThat(page).contains("## " + table.fileName());
      table.header().forEach(name -> assertThat(page).contains("| `" + name + "` |"));
    }
  }
}
