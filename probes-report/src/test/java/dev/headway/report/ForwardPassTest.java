package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.events.model.RunModel;
import dev.headway.probes.csv.EventScript;
import dev.headway.probes.csv.Scenarios;
import dev.headway.probes.csv.StepScript;
import dev.headway.report.fpm.ForwardPassWriter;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Forward-pass metrics against records worked out by hand. */
class ForwardPassTest {

  @Test
  void shouldWriteTheShapeThatDynamoReads() throws IOException {
    assertThat(lines(Scenarios.preemption()).get(0))
        .isEqualTo(
            "{\"version\":1,\"worker_id\":\"w0\",\"dp_rank\":0,\"counter_id\":0,"
                + "\"wall_time\":0.00000006,\"scheduled_requests\":{\"num_prefill_requests\":1,"
                + "\"sum_prefill_tokens\":32,\"var_prefill_length\":0.0,"
                + "\"sum_prefill_kv_tokens\":0,\"num_decode_requests\":0,"
                + "\"sum_decode_kv_tokens\":0,\"var_decode_kv_tokens\":0.0},"
                + "\"queued_requests\":{\"num_prefill_requests\":2,\"sum_prefill_tokens\":56,"
                + "\"var_prefill_length\":144.0,\"num_decode_requests\":0,"
                + "\"sum_decode_kv_tokens\":0,\"var_decode_kv_tokens\":0.0}}");
  }

  @Test
  void shouldCountChunksContextsAndPreemptedRequests() throws IOException {
    final List<String> lines = lines(Scenarios.preemption());

    final JsonNode second = new JsonMapper().readTree(lines.get(1)).get("scheduled_requests");
    assertThat(second.get("sum_prefill_tokens").asInt()).isEqualTo(32);
    assertThat(second.get("sum_prefill_kv_tokens").asInt()).isEqualTo(32);
    assertThat(second.get("var_prefill_length").asDouble()).isEqualTo(256); // of 48 and 16
    final JsonNode third = new JsonMapper().readTree(lines.get(2));
    assertThat(third.get("scheduled_requests").get("sum_decode_kv_tokens").asInt()).isEqualTo(48);
    assertThat(third.get("queued_requests").get("num_decode_requests").asInt()).isEqualTo(1);
    assertThat(third.get("queued_requests").get("sum_decode_kv_tokens").asInt()).isEqualTo(17);
    assertThat(third.get("queued_requests").get("num_prefill_requests").asInt()).isEqualTo(1);
  }

  /** The figures of the reference record in shared/fixtures/fpm_golden.json. */
  @Test
  void shouldAgreeWithTheReferenceOnVariances() throws IOException {
    final EventScript script = EventScript.full();
    final int[] prompts = {256, 512, 100, 100, 100};
    final int[] contexts = {512, 512, 900, 1_000, 1_100};
    final int[] chunks = {384, 384, 1, 1, 1};
    final StepScript step = new StepScript(1, 0, 1);
    prompts[0] = 1_024;
    prompts[1] = 1_280; // 128 away from their mean
    for (int i = 0; i < 5; i++) {
      script.queued(i, "r" + i, 0, 0, prompts[i]).admitted(1, i, 0);
      step.entry(i, chunks[i], contexts[i], true, 1, 1);
    }
    step.counts(5, 0, 0, 50).done(2, 3, 12_500_000, 1, 1, 1, 1, 1);

    final JsonNode record =
        new JsonMapper().readTree(lines(script.planned(step).completed(step)).get(0));

    final JsonNode scheduled = record.get("scheduled_requests");
    assertThat(record.get("wall_time").asDouble()).isEqualTo(0.0125);
    assertThat(scheduled.get("sum_prefill_tokens").asInt()).isEqualTo(768);
    assertThat(scheduled.get("var_prefill_length").asDouble()).isEqualTo(16_384);
    assertThat(scheduled.get("sum_prefill_kv_tokens").asInt()).isEqualTo(1_024);
    assertThat(scheduled.get("sum_decode_kv_tokens").asInt()).isEqualTo(3_000);
    assertThat(scheduled.get("var_decode_kv_tokens").asDouble())
        .isEqualTo(6_666.666666666667, within(1e-9));
  }

  @Test
  void shouldNotInventHeartbeatsForAJournal() throws IOException {
    final StringBuilder out = new StringBuilder();
    try (RunModel observer = ForwardPassWriter.ofJournal(out, "w0")) {
      Scenarios.preemption().playTo(observer);
      observer.flush(0);
    }

    assertThat(out.toString().lines()).hasSize(6);
  }

  private static List<String> lines(EventScript script) throws IOException {
    final StringBuilder out = new StringBuilder();
    try (RunModel observer = ForwardPassWriter.live(out, "w0")) {
      script.playTo(observer);
    }
    return out.toString().lines().toList();
  }
}
