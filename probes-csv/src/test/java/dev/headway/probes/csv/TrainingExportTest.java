package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.LatencyModel;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.csv.training.TrainingExport;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training rows of a run that can be followed by hand; see {@link Scenarios#preemption}. */
class TrainingExportTest {

  @TempDir private Path directory;
  private CsvResult result;

  @BeforeEach
  void export() throws IOException {
    result = export(Scenarios.preemption());
  }

  @Test
  void shouldHaveARowPerRequestWithWhatItFound() {
    assertThat(result.rows("alpha.csv"))
        .extracting(row -> row.get("request_number"))
        .containsExactly("0", "1", "2");

    assertThat(result.rows("alpha.csv").get(1))
        .containsEntry("alpha_ingress_ns", "10")
        .containsEntry("alpha_wait_ns", "172") // 212 - 40
        .containsEntry("censored", "false")
        .containsEntry("waiting_depth", "1")
        .containsEntry("waiting_tokens", "48")
        .containsEntry("running_depth", "0")
        .containsEntry("kv_free_blocks", "100")
        .containsEntry("kv_block_deficit", "0")
        .containsEntry("mean_arrival_gap_ns", "20")
        .containsEntry("since_decision_ns", "")
        .containsEntry("tenant", "acme")
        .containsEntry("prefix_hit_tokens", "0");
    assertThat(result.rows("alpha.csv").get(2))
        .containsEntry("alpha_wait_ns", "270") // until it was aborted
        .containsEntry("censored", "true")
        .containsEntry("waiting_tokens", "64");
  }

  @Test
  void shouldHaveARowPerStepWithWhatItComputed() {
    final List<Map<String, String>> steps = result.rows("beta.csv");

    assertThat(steps).hasSize(6);
    assertThat(steps.get(1)) // a's second chunk of 16 behind 32, b's prompt of 16
        .containsEntry("step", "2")
        .containsEntry("beta_forward_ns", "30")
        .containsEntry("beta_step_ns", "100")
        .containsEntry("beta_host_ns", "30") // 60 - 30
        .containsEntry("schedule_ns", "12")
        .containsEntry("update_ns", "10")
        .containsEntry("idle_ns", "63") // 213 - 150
        .containsEntry("n_prefill", "2")
        .containsEntry("t_prefill", "32")
        .containsEntry("n_decode", "0")
        .containsEntry("n_new", "1")
        .containsEntry("batch_delta", "1")
        .containsEntry("prefill_attention_pairs", "768.000000") // 16 * 40 + 16 * 8
        .containsEntry("kv_blocks_read", "4")
        .containsEntry("sampled_tokens", "2")
        .containsEntry("model", "toy")
        .containsEntry("hardware", "")
        .containsEntry("config_queuePolicy", "FCFS")
        .containsEntry("attribute_model", "toy");
    assertThat(steps.get(2))
        .containsEntry("preempted_requests", "1")
        .containsEntry("n_decode", "1")
        .containsEntry("decode_context_sum", "48")
        .containsEntry("decode_context_square_sum", "2304")
        .containsEntry("max_context", "48");
    assertThat(steps.get(4))
        .containsEntry("n_resumed", "1")
        .containsEntry("n_new", "0")
        .containsEntry("n_prefill", "1");
    assertThat(steps.get(5)).containsEntry("beta_step_ns", "");
  }

  @Test
  void shouldHaveARowPerAnswerThatLeftTheServer() throws IOException {
    final CsvResult ranked = export(Scenarios.ranked());

    assertThat(ranked.rows("egress.csv")).hasSize(1);
    assertThat(ranked.rows("egress.csv").getFirst())
        .containsEntry("request_number", "0")
        .containsEntry("finished_ns", "36000000")
        .containsEntry("alpha_egress_ns", "200000")
        .containsEntry("first_response_ns", "")
        .containsEntry("output_tokens", ""); // its writer does not say
    assertThat(result.rows("egress.csv")).as("no server told").isEmpty();
  }

  @Test
  void shouldSayHowLargeTheModelIsWhereTheRunDoes() throws IOException {
    final CsvResult sized =
        export(
            new EventScript()
                .run(
                    "full",
                    Map.of(),
                    Map.of("model_size", "16060522496", "tensor_parallel_size", "2"))
                .queued(0, "a", 10, 20, 4)
                .runEnded(30));

    assertThat(sized.rows("alpha.csv").getFirst())
        .containsEntry("model_size", "16060522496")
        .containsEntry("tp", "2");
    assertThat(result.rows("beta.csv").getFirst())
        .containsEntry("model_size", "")
        .containsEntry("tp", "");
  }

  @Test
  void shouldNotCallATimeWithoutRequestsAStep() throws IOException {
    final EventScript script = EventScript.full();
    for (int i = 0; i < 2; i++) {
      final long begin = 1_000L * (i + 1);
      final StepScript step =
          new StepScript(i + 1, begin, begin + 1)
              .entry(i, 4, 0, true, 1, 1)
              .counts(1, 0, 0, 99)
              .done(begin + 1, begin + 9, begin + 10, 1);
      script
          .queued(i, "r" + i, begin - 3, begin - 2, 4)
          .admitted(i + 1, i, 0)
          .planned(step)
          .finished(i + 1, i, "length", 1, begin + 9)
          .completed(step);
    }

    final CsvResult idle = export(script);

    assertThat(idle.rows("beta.csv").get(0)).containsEntry("beta_step_ns", "");
    assertThat(idle.rows("alpha.csv").get(1))
        .containsEntry("mean_step_ns", "")
        .containsEntry("since_decision_ns", "997")
        .containsEntry("since_admission_ns", "997");
  }

  @Test
  void shouldCountDecodesWhoseInputIsInFlightAsTheSchedulerDoes() throws IOException {
    assertThat(overlappingSteps())
        .extracting(row -> row.get("n_prefill") + " " + row.get("n_decode"))
        .containsExactly("1 0", "1 0", "0 1", "0 1", "0 1");
  }

  /** With two steps in flight, a begin follows the end of the step before the last. */
  @Test
  void shouldTimeStepsThatOverlapByTheirOutputs() throws IOException {
    final List<Map<String, String>> steps = overlappingSteps();

    assertThat(steps).extracting(row -> row.get("overlapped")).contains("true");
    assertThat(steps)
        .extracting(row -> row.get("beta_step_ns"))
        .containsExactly("1016", "1004", "1001", "1001", "1001");
    assertThat(steps)
        .extracting(row -> row.get("beta_forward_ns"))
        .containsExactly("1016", "1004", "1001", "1001", "1001");
  }

  private List<Map<String, String>> overlappingSteps() throws IOException {
    final Path journal = directory.resolve("journal");
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(64).build())
            .maxNumSeqs(4)
            .vocabularySize(1_000)
            .maxStepsInFlight(2)
            .build();
    final LatencyModel latency = step -> 1_000 + step.totalTokens();
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
                .clock(clock)
                .config(
                    SchedulerConfig.builder(
                            SchedulerLimits.builder()
                                .maxNumSeqs(4)
                                .maxNumBatchedTokens(16)
                                .maxModelLen(128)
                                .build())
                        .pipeline(PipelineOptions.ASYNC)
                        .build())
                .probe(probe)
                .build()) {
      engine.submit(Request.builder("a", new int[20]).maxTokens(4).build());
      while (engine.step()) {
        continue;
      }
    }

    final Path target = Files.createDirectory(directory.resolve("async"));
    try (JournalReader reader = JournalReader.open(journal);
        RunModel observer = TrainingExport.to(target)) {
      reader.readAll(observer);
    }

    return new CsvResult(target).rows("beta.csv");
  }

  @Test
  void shouldExplainEveryColumnInTheManifest() {
    for (String file : List.of("alpha.csv", "beta.csv")) {
      for (String column : result.rows(file).get(0).keySet()) {
        assertThat(result.manifest()).contains("\"name\" : \"" + column + "\"");
      }
    }
    assertThat(result.manifest())
        .contains("\"format\" : \"headway-training\"", "\"censored_requests\" : 1");
  }

  private CsvResult export(EventScript script) throws IOException {
    final Path target = Files.createTempDirectory(directory, "rows");
    try (RunModel observer = TrainingExport.to(target)) {
      script.playTo(observer);
    }
    return new CsvResult(target);
  }
}
