package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Defects of the tracing in a vLLM fork that we do not have; the page {@code
 * site/reference/reference-defects.md} lists all of them, and which test holds where it is not one
 * of these.
 */
class ReferenceDefectsTest {

  @TempDir private Path temporary;

  /** There, phase is told by output count: recomputation after the first token is decode. */
  @Test
  void shouldCountRecomputationAsPrefillWhateverWasGenerated() throws IOException {
    final CsvResult files = afterAPreemption();

    final Map<String, String> resumed = resumption(files);
    assertThat(files.request("subject")).containsEntry("preemption_count", "1");
    assertThat(Long.parseLong(resumed.get("prefill_tokens"))).isGreaterThan(1);
    assertThat(resumed)
        .containsEntry("decode_tokens", "0")
        .containsEntry("prefill_requests", "1")
        .containsEntry("total_tokens", resumed.get("prefill_tokens"));
  }

  /** There, a preemption is not counted any more: the metric is 0 for ever. */
  @Test
  void shouldCountPreemptionsWhereTheyHappen() throws IOException {
    final CsvResult files = afterAPreemption();

    assertThat(files.request("subject")).containsEntry("preemption_count", "1");
    assertThat(files.request("other")).containsEntry("preemption_count", "0");
    assertThat(files.events("request_preempted"))
        .singleElement()
        .satisfies(
            row ->
                assertThat(row.get("details"))
                    .contains("\"beneficiary\":\"other\"", "\"lost_tokens\":"));
  }

  /** There, progress is a high-water mark, and what was computed twice cannot be derived. */
  @Test
  void shouldTellTokensThatWereComputedTwice() throws IOException {
    final CsvResult files = afterAPreemption();

    final Map<String, String> subject = files.request("subject");
    final long needed = number(subject, "input_tokens") + number(subject, "output_tokens") - 1;
    assertThat(number(subject, "recomputed_tokens")).isPositive();
    assertThat(number(subject, "computed_tokens"))
        .isEqualTo(
            needed + number(subject, "recomputed_tokens") - number(subject, "cached_tokens"));
  }

  /** There, a draft that proves wrong counts as progress and then as decode of many tokens. */
  @Test
  void shouldNotTakeWrongDraftsForRecomputation() throws IOException {
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(8)
                    .maxNumBatchedTokens(64)
                    .maxModelLen(128)
                    .build())
            .speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 3))
            .build();
    final Path journal = temporary.resolve("journal");
    try (LiveRun run = new LiveRun(journal, 12).settings(builder -> builder.config(config))) {
      run.executor.proposeDrafts(3);
      run.submit("a", 5, 6);
      run.finish();
    }

    final CsvResult files = convert(journal);
    assertThat(files.request("a")).containsEntry("recomputed_tokens", "0");
    assertThat(files.iterations().subList(1, 5))
        .allSatisfy(row -> assertThat(row).containsEntry("prefill_tokens", "0"));
    assertThat(files.events("request_scheduled")).as("of its prompt").hasSize(1);
  }

  /** There, the duration of a step is that of the scheduler's decision. */
  @Test
  void shouldTellTheTimeOfAStepInItsParts() throws IOException {
    final CsvResult files = afterAPreemption();

    final Map<String, String> first = files.iterations().get(0);
    assertThat(first)
        .containsEntry("forward_duration", "1000")
        .containsEntry("scheduling_overhead", "0") // no time passes in a virtual decision
        .containsEntry("update_ns", "0")
        .containsEntry("duration", "1000");
    assertThat(files.iterations().get(1)).containsEntry("gap_ns", "10");
  }

  /** There, KV events have neither request nor instant, and the step is of the one before. */
  @Test
  void shouldTellWhoStoredBlocksAndWhen() throws IOException {
    final Path journal = temporary.resolve("journal");
    try (LiveRun run = new LiveRun(journal, 12)) {
      run.submit("a", 9, 3);
      run.finish();
    }

    final CsvResult files = convert(journal);
    final List<Map<String, String>> stored = files.events("kv_block_stored");
    assertThat(stored).isNotEmpty();
    assertThat(stored)
        .allSatisfy(
            row -> {
              assertThat(row).containsEntry("request_id", "a");
              assertThat(row.get("iteration_id")).isNotEmpty();
              assertThat(row.get("timestamp"))
                  .isEqualTo(files.iteration(number(row, "iteration_id")).get("scheduled_time"));
            });
  }

  /** There, an event of queueing has the number of the step before it. */
  @Test
  void shouldNotGiveAnArrivalToAStep() throws IOException {
    final CsvResult files = afterAPreemption();

    assertThat(files.events("request_queued"))
        .hasSize(2)
        .allSatisfy(row -> assertThat(row).containsEntry("iteration_id", ""));
  }

  private CsvResult afterAPreemption() throws IOException {
    final Path journal = temporary.resolve("journal");
    try (LiveRun run = new LiveRun(journal, 2)) {
      run.submit("other", 4, 3);
      run.submit("subject", 4, 3);
      run.steps(8).finish();
    }
    return convert(journal);
  }

  private static Map<String, String> resumption(CsvResult files) {
    return files.iterations().stream()
        .filter(row -> row.get("admitted_ids").equals("[\"subject\"]"))
        .findFirst()
        .orElseThrow();
  }

  private CsvResult convert(Path journal) throws IOException {
    final Path target = temporary.resolve("csv");
    try (CsvExport export = CsvExport.begin(target, ConvertOptions.DEFAULT);
        JournalReader reader = JournalReader.open(journal)) {
      reader.readAll(export.visitor());
      export.finish(JournalEnd.clean(0));
    }
    return new CsvResult(target);
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(row.get(column));
  }
}
