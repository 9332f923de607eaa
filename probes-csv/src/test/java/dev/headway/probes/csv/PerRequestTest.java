package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PerRequestTest {

  @TempDir private Path temporary;
  private CsvResult result;

  @BeforeEach
  void convert() {
    result = CsvResult.of(Scenarios.preemption(), temporary.resolve("out"));
  }

  @Test
  void shouldTellTheTimesOfARequestThatRanThrough() {
    assertThat(result.request("a"))
        .containsEntry("arrival_time", "10")
        .containsEntry("queued_time", "20")
        .containsEntry("first_scheduled_time", "110")
        .containsEntry("first_token_time", "250")
        .containsEntry("last_token_time", "420")
        .containsEntry("completion_time", "420")
        .containsEntry("waiting_time", "90")
        .containsEntry("execution_time", "310")
        .containsEntry("e2e_latency", "410")
        .containsEntry("ttft", "240")
        .containsEntry("ttft_engine_ns", "230")
        .containsEntry("queue_first_ns", "90")
        .containsEntry("ingress_ns", "10")
        .containsEntry("tpot", "85")
        .containsEntry("prefill_time", "140")
        .containsEntry("decode_time", "170")
        .containsEntry("decode_stall", "0")
        .containsEntry("timing_valid", "true");
  }

  @Test
  void shouldTellTheWorkOfARequestThatRanThrough() {
    assertThat(result.request("a"))
        .containsEntry("input_tokens", "48")
        .containsEntry("output_tokens", "3")
        .containsEntry("total_tokens", "51")
        .containsEntry("throughput", "7317073.170732")
        .containsEntry("current_iteration", "4")
        .containsEntry("first_scheduled_iteration", "0")
        .containsEntry("computed_tokens", "50")
        .containsEntry("recomputed_tokens", "0")
        .containsEntry("kv_cache_blocks", "4")
        .containsEntry("kv_cache_memory_bytes", "8192")
        .containsEntry("status", "finished")
        .containsEntry("finish_reason", "length")
        .containsEntry("stop_token_id", "");
  }

  @Test
  void shouldAddUpTheWaitsOfAPreemptedRequest() {
    assertThat(result.request("b"))
        .containsEntry("waiting_time", "373") // 40..212 and 305..506
        .containsEntry("execution_time", "207") // 212..305 and 506..620
        .containsEntry("starvation", "201")
        .containsEntry("wait_count", "2")
        .containsEntry("prefill_time", "38")
        .containsEntry("decode_time", "370")
        .containsEntry("decode_stall", "201")
        .containsEntry("preemption_count", "1")
        .containsEntry("eviction_count", "1")
        .containsEntry("computed_tokens", "33")
        .containsEntry("recomputed_tokens", "16")
        .containsEntry("evicted_tokens", "16")
        .containsEntry("tenant", "acme")
        .containsEntry("priority_score", "3");
  }

  @Test
  void shouldBookEveryWaitToItsReason() {
    assertThat(result.request("b"))
        .containsEntry("waiting_initial_waiting_ns", "70") // 40..110
        .containsEntry("waiting_max_num_batched_tokens_ns", "102") // 110..212
        .containsEntry("waiting_preempted_ns", "96") // 305..401
        .containsEntry("waiting_memory_insufficient_ns", "105") // 401..506
        .containsEntry("waiting_other_ns", "");
    assertThat(result.request("c"))
        .containsEntry("waiting_time", "270")
        .containsEntry("waiting_initial_waiting_ns", "50")
        .containsEntry("waiting_max_num_batched_tokens_ns", "102")
        .containsEntry("waiting_chunked_prefill_ns", "93")
        .containsEntry("waiting_preemption_in_step_ns", "25");
  }

  @Test
  void shouldLeaveEmptyWhatARequestNeverReached() {
    assertThat(result.request("c"))
        .containsEntry("first_scheduled_time", "")
        .containsEntry("first_token_time", "")
        .containsEntry("ttft", "")
        .containsEntry("tpot", "")
        .containsEntry("decode_time", "")
        .containsEntry("output_tokens", "0")
        .containsEntry("execution_time", "0")
        .containsEntry("finish_reason", "abort")
        .containsEntry("timing_valid", "true");
    assertThat(result.request("big"))
        .containsEntry("status", "rejected")
        .containsEntry("arrival_time", "45")
        .containsEntry("reject_reason", "kv_cache_too_small")
        .containsEntry("message", "needs 200 blocks, has 100")
        .containsEntry("waiting_time", "")
        .containsEntry("output_tokens", "")
        .containsEntry("request_number", "")
        .containsEntry("timing_valid", "")
        .containsEntry("waiting_max_num_seqs_ns", "");
  }

  @Test
  void shouldKeepTheQueuePositions() {
    assertThat(result.request("c"))
        .containsEntry("queue_position_first", "1")
        .containsEntry("queue_position_max", "1")
        .containsEntry("queue_position_mean", "0.666667")
        .containsEntry("queue_position_history", "[[0,1],[1,0],[2,1]]");
    assertThat(result.request("a"))
        .containsEntry("queue_position_first", "")
        .containsEntry("queue_position_mean", "")
        .containsEntry("queue_position_history", "");
  }

  @Test
  void shouldOrderRequestsByTheirEnd() {
    assertThat(result.requests())
        .extracting(row -> row.get("request_id"))
        .containsExactly("big", "c", "a", "b");
  }

  @Test
  void shouldWriteUnfinishedRequestsWithWhatIsKnown() {
    final EventScript cut = EventScript.full().queued(0, "a", 1, 2, 8).queued(1, "b", 3, 4, 8);
    final StepScript step =
        new StepScript(1, 10, 11).entry(0, 8, 0, true, 1, 1).counts(1, 1, 0, 99);
    cut.admitted(1, 0, 0).closed(1, "max_num_seqs", -1).planned(step);

    final CsvResult unfinished = CsvResult.of(cut, temporary.resolve("cut"));

    final Map<String, String> running = unfinished.request("a");
    assertThat(running)
        .containsEntry("status", "unfinished")
        .containsEntry("first_scheduled_time", "11")
        .containsEntry("completion_time", "")
        .containsEntry("waiting_time", "")
        .containsEntry("execution_time", "")
        .containsEntry("starvation", "")
        .containsEntry("waiting_initial_waiting_ns", "")
        .containsEntry("kv_cache_blocks", "1")
        .containsEntry("timing_valid", "true");
    assertThat(unfinished.iteration(0))
        .containsEntry("start_time", "10")
        .containsEntry("end_time", "")
        .containsEntry("duration", "")
        .containsEntry("forward_duration", "");
  }
}
