package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.option.IdLists;
import dev.headway.probes.csv.option.IterationRequests;
import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.toolbox.output.OverwriteMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepRowsTest {

  @TempDir private Path temporary;

  @Test
  void shouldTellWhatAnIterationDid() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.iteration(1))
        .containsEntry("start_time", "200")
        .containsEntry("end_time", "260")
        .containsEntry("duration", "60")
        .containsEntry("scheduling_overhead", "12")
        .containsEntry("forward_duration", "30")
        .containsEntry("update_ns", "10")
        .containsEntry("gap_ns", "40")
        .containsEntry("batch_size", "2")
        .containsEntry("total_tokens", "32")
        .containsEntry("prefill_tokens", "32")
        .containsEntry("decode_tokens", "0")
        .containsEntry("kv_cache_used", "4")
        .containsEntry("kv_cache_total", "100")
        .containsEntry("kv_cache_utilization", "0.040000")
        .containsEntry("tokens_produced", "2")
        .containsEntry("scheduler_action", "admit_new")
        .containsEntry("admitted_ids", "[\"b\"]")
        .containsEntry("waiting_reason", "chunked_prefill");
    assertThat(result.iteration(2))
        .containsEntry("forward_duration", "14")
        .containsEntry("scheduler_action", "preempt")
        .containsEntry("actions", "preempt;reuse_cached_blocks")
        .containsEntry("kv_blocks_evicted", "1")
        .containsEntry("preempted_ids", "[\"b\"]")
        .containsEntry("completed_ids", "[\"c\"]");
    assertThat(result.iteration(3))
        .containsEntry("scheduler_action", "continue")
        .containsEntry("waiting_reason", "head_of_line")
        .containsEntry("blocked_by", "b")
        .containsEntry("completed_ids", "[\"a\"]");
    assertThat(result.iteration(5)).containsEntry("waiting_reason", "");
  }

  @Test
  void shouldGiveEveryWaitingRequestItsReason() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.iterationRequest(0, "a"))
        .containsEntry("state", "running")
        .containsEntry("queue_position", "")
        .containsEntry("waiting_reason", "chunked_prefill")
        .containsEntry("scheduled_tokens", "32")
        .containsEntry("kv_cache_blocks", "2")
        .containsEntry("time_in_state", "0");
    assertThat(result.iterationRequest(0, "c"))
        .containsEntry("state", "waiting")
        .containsEntry("queue_position", "1")
        .containsEntry("waiting_reason", "max_num_batched_tokens")
        .containsEntry("kv_cache_blocks", "0")
        .containsEntry("time_in_state", "50");
    assertThat(result.iterationRequest(1, "a"))
        .containsEntry("waiting_reason", "")
        .containsEntry("tokens_generated", "0");
    assertThat(result.iterationRequest(2, "b"))
        .containsEntry("state", "preempted")
        .containsEntry("queue_position", "0")
        .containsEntry("waiting_reason", "preempted")
        .containsEntry("blocked_by", "a")
        .containsEntry("tokens_generated", "1");
    assertThat(result.iterationRequest(2, "c"))
        .containsEntry("queue_position", "1")
        .containsEntry("waiting_reason", "preemption_in_step");
    assertThat(result.iterationRequest(3, "b"))
        .containsEntry("waiting_reason", "memory_insufficient")
        .containsEntry("time_in_state", "96");
    assertThat(result.iterationRequest(4, "b")).containsEntry("waiting_reason", "recomputation");
    assertThat(result.iterationRequest(5, "b")).containsEntry("waiting_reason", "");
  }

  @Test
  void shouldWriteACompletedRowInTheIterationOfTheEnd() {
    final CsvResult result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));

    assertThat(result.iterationRequests())
        .filteredOn(row -> row.get("state").equals("completed"))
        .extracting(
            row -> row.get("iteration_id") + row.get("request_id") + row.get("tokens_generated"))
        .containsExactly("2c0", "3a3", "5b2");
  }

  @Test
  void shouldWriteOnlyChangesWhenAsked() {
    final CsvResult result = convert(IterationRequests.CHANGES, IdLists.COMPACT);

    assertThat(result.iterationRequests())
        .extracting(
            row ->
                row.get("iteration_id")
                    + row.get("request_id")
                    + row.get("waiting_reason")
                    + (row.get("shares_reason").equals("true") ? " shared" : ""))
        .containsExactly(
            "0achunked_prefill",
            "0bmax_num_batched_tokens shared",
            "0cmax_num_batched_tokens shared", // what is shared next is in per_iteration.csv
            "1a",
            "1b",
            "2bpreempted",
            "2c",
            "3bmemory_insufficient",
            "3a",
            "4brecomputation",
            "5b",
            "5b");
    assertThat(result.iteration(1)).containsEntry("waiting_reason", "chunked_prefill");
    assertThat(result.iteration(2)).containsEntry("waiting_reason", "preemption_in_step");
  }

  @Test
  void shouldWriteNoRowsPerRequestWhenSwitchedOff() {
    final CsvResult result = convert(IterationRequests.OFF, IdLists.FULL);

    assertThat(result.iterationRequests()).isEmpty();
    assertThat(result.manifest()).contains("per_iteration_requests.csv was switched off");
    assertThat(result.iteration(2))
        .containsEntry("running_ids", "[\"a\"]")
        .containsEntry("waiting_ids", "[\"b\",\"c\"]");
    assertThat(result.request("b")).containsEntry("waiting_preempted_ns", "96");
  }

  @Test
  void shouldNotAssumeThatPlansAndCompletionsAlternate() {
    final StepScript first =
        new StepScript(1, 10, 20).entry(0, 8, 0, true, 1, 1).counts(1, 0, 0, 99);
    final StepScript second =
        new StepScript(2, 30, 40).entry(0, 1, 8, true, 1, 0).counts(1, 0, 0, 99);
    final StepScript third = new StepScript(3, 80, 90).counts(0, 0, 0, 100).notExecuted();
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .admitted(1, 0, 0)
            .planned(first)
            .planned(second)
            .firstToken(1, 0, 50)
            .finished(1, 0, "stop", 1, 50)
            .completed(first.done(21, 50, 55, 1))
            .planned(third)
            .completed(second.done(41, 60, 65, 0))
            .completed(third.done(90, 90, 91));

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterations())
        .extracting(row -> row.get("iteration_id") + row.get("end_time"))
        .containsExactly("055", "165", "291");
    assertThat(result.iteration(1)).containsEntry("gap_ns", "").containsEntry("completed_ids", "");
    assertThat(result.iteration(0)).containsEntry("completed_ids", "[\"a\"]");
    assertThat(result.iteration(2))
        .containsEntry("forward_duration", "")
        .containsEntry("submit_time", "");
    assertThat(result.request("a"))
        .containsEntry("output_tokens", "1")
        .containsEntry("current_iteration", "2")
        .containsEntry("tpot", "");
  }

  @Test
  void shouldPutACacheResetAtItsOwnInstant() {
    final StepScript first =
        new StepScript(1, 10, 20)
            .entry(0, 8, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(20, 30, 31, 1);
    final StepScript second =
        new StepScript(2, 60, 70)
            .entry(0, 9, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(70, 80, 81, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .admitted(1, 0, 0)
            .planned(first)
            .firstToken(1, 0, 30)
            .completed(first)
            .cacheReset("preempt_running", 40)
            .preempted(1, 0, "cache_reset", -1, 8, 1)
            .blocked(1, 0, "evicted", -1, 0, 0)
            .kvCleared()
            .resumed(2, 0, 0, 8)
            .planned(second)
            .finished(2, 0, "length", 1, 80)
            .completed(second);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("waiting_time", "48") // 2..20 and 40..70
        .containsEntry("waiting_evicted_ns", "30")
        .containsEntry("preemption_count", "1")
        .containsEntry("eviction_count", "1")
        .containsEntry("recomputed_tokens", "8")
        .containsEntry("timing_valid", "true");
    assertThat(result.iteration(1)).containsEntry("actions", "preempt;evict;admit_new");
    assertThat(result.events())
        .filteredOn(row -> row.get("timestamp").equals("40"))
        .extracting(row -> row.get("event_type"))
        .containsExactly(
            "cache_reset",
            "request_preempted",
            "kv_cache_freed",
            "request_evicted",
            "request_blocked",
            "kv_cache_cleared");
  }

  @Test
  void shouldEndARequestInsideScheduling() {
    final StepScript first =
        new StepScript(1, 10, 20)
            .entry(0, 8, 0, true, 1, 1)
            .counts(1, 0, 0, 99)
            .done(20, 30, 31, 1);
    final StepScript second = new StepScript(2, 40, 50).counts(0, 0, 0, 100).done(50, 50, 51);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .admitted(1, 0, 0)
            .planned(first)
            .firstToken(1, 0, 30)
            .completed(first)
            .blocked(2, 0, "memory_insufficient", -1, 1, 0)
            .finished(2, 0, "kv_cache_exhausted", 1, 40)
            .planned(second)
            .completed(second);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("execution_time", "20")
        .containsEntry("output_tokens", "1")
        .containsEntry("timing_valid", "true");
    assertThat(result.iteration(1)).containsEntry("completed_ids", "[\"a\"]");
    assertThat(result.events())
        .filteredOn(row -> row.get("timestamp").equals("40"))
        .extracting(row -> row.get("event_type"))
        .containsExactly("request_blocked", "kv_cache_freed", "request_completed");
  }

  @Test
  void shouldHaveNoRowsOfEntriesFromASummary() {
    final StepScript step =
        new StepScript(1, 10, 20).withoutEntries(1).counts(1, 0, 0, 99).done(20, 30, 31);
    final EventScript script =
        new EventScript()
            .run("summary", Map.of())
            .queued(0, "a", 1, 2, 8)
            .admitted(1, 0, 0)
            .planned(step)
            .firstToken(1, 0, 30)
            .finished(1, 0, "length", 1, 30)
            .completed(step);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterationRequests()).isEmpty();
    assertThat(result.request("a"))
        .containsEntry("output_tokens", "")
        .containsEntry("throughput", "")
        .containsEntry("kv_cache_blocks", "")
        .containsEntry("current_iteration", "")
        .containsEntry("waiting_time", "18")
        .containsEntry("ttft", "29");
    assertThat(result.iteration(0)).containsEntry("batch_size", "1");
    assertThat(result.manifest()).contains("level summary records no entries");
  }

  @Test
  void shouldCountReasonsThatANewerWriterKnows() {
    final StepScript step = new StepScript(1, 10, 20).counts(0, 1, 0, 100).done(20, 20, 21);
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 1, 2, 8)
            .closed(1, "moon_phase", -1)
            .planned(step)
            .completed(step)
            .finished(1, 0, "abort", 0, 50);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.request("a"))
        .containsEntry("waiting_time", "48")
        .containsEntry("waiting_initial_waiting_ns", "18")
        .containsEntry("waiting_other_ns", "{\"moon_phase\":30}");
    assertThat(result.iterationRequest(0, "a")).containsEntry("waiting_reason", "moon_phase");
  }

  @Test
  void shouldOrderThePriorityQueueByPriorityThenArrivalThenId() {
    final EventScript script =
        new EventScript()
            .run("full", Map.of("queuePolicy", "PRIORITY"))
            .queued(0, "late", 9, 9, 8, 1, null)
            .queued(1, "zeta", 5, 9, 8, 1, null)
            .queued(2, "alpha", 5, 9, 8, 1, null)
            .queued(3, "urgent", 9, 9, 8, 0, null)
            .planned(new StepScript(1, 10, 20).counts(0, 4, 0, 100));

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterationRequests())
        .extracting(row -> row.get("request_id"))
        .containsExactly("urgent", "alpha", "zeta", "late");
    assertThat(result.iterationRequests())
        .extracting(row -> row.get("queue_position"))
        .containsExactly("0", "1", "2", "3");
  }

  @Test
  void shouldPutVictimsInFrontOfEachOther() {
    final StepScript first =
        new StepScript(1, 10, 20)
            .entry(0, 8, 0, true, 1, 1)
            .entry(1, 8, 0, true, 1, 1)
            .counts(2, 1, 0, 98)
            .done(20, 30, 31, 1, 1);
    final EventScript script =
        EventScript.full()
            .queued(0, "old", 1, 1, 8)
            .queued(1, "young", 2, 2, 8)
            .queued(2, "new", 3, 3, 8)
            .admitted(1, 0, 0)
            .admitted(1, 1, 0)
            .closed(1, "max_num_seqs", -1)
            .planned(first)
            .completed(first)
            .preempted(2, 1, "kv_blocks", 0, 8, 1)
            .preempted(2, 0, "kv_blocks", 0, 8, 1)
            .planned(new StepScript(2, 40, 50).counts(0, 3, 2, 100));

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.iterationRequests())
        .filteredOn(row -> row.get("iteration_id").equals("1"))
        .extracting(row -> row.get("request_id") + row.get("queue_position"))
        .containsExactly("old0", "young1", "new2");
  }

  private CsvResult convert(IterationRequests mode, IdLists ids) {
    return CsvResult.of(
        Scenarios.preemption(),
        temporary.resolve("out"),
        new ConvertOptions(OverwriteMode.REFUSE, TextPolicy.NEUTRALISED, mode, ids));
  }

  @Test
  void shouldStartAgainWithASecondRun() {
    final EventScript script =
        EventScript.full()
            .queued(0, "a", 100, 110, 8)
            .run("full", Map.of())
            .queued(0, "a", 1, 2, 8)
            .planned(new StepScript(1, 10, 20).counts(0, 1, 0, 100))
            .runEnded(30);

    final CsvResult result = CsvResult.of(script, temporary.resolve("out"));

    assertThat(result.requests())
        .extracting(row -> List.of(row.get("run"), row.get("status"), row.get("arrival_time")))
        .containsExactly(List.of("0", "unfinished", "100"), List.of("1", "unfinished", "1"));
    assertThat(result.events())
        .extracting(row -> row.get("run") + row.get("event_type"))
        .containsExactly(
            "0run_started",
            "0request_arrived",
            "0request_queued",
            "1run_started",
            "1request_arrived",
            "1request_queued",
            "1run_ended");
    assertThat(result.manifest()).contains("\"events_out_of_order\" : 0");
  }
}
