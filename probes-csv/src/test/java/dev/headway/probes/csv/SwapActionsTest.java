package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.JournalLevel;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.probes.csv.training.TrainingExport;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prompt leaves the device for another, and comes back from host memory. */
class SwapActionsTest {

  @TempDir private Path temporary;

  @Test
  void shouldSayWhenBlocksMoveBetweenTiers() throws IOException {
    final Path journal = temporary.resolve("journal");
    run(journal);

    final CsvResult result = new CsvResult(temporary.resolve("out"));
    try (JournalSource source = JournalSource.open(journal)) {
      new CsvConverter(source, result.directory(), ConvertOptions.DEFAULT, (r, rows, done) -> {})
          .convert();
    }

    final List<Map<String, String>> iterations =
        result.iterations().stream().filter(row -> !row.get("actions").equals("continue")).toList();
    assertThat(iterations)
        .extracting(row -> row.get("actions"))
        .containsExactly(
            "admit_new",
            "admit_new;swap_out;reuse_cached_blocks",
            "admit_new;swap_in;swap_out;reuse_cached_blocks");
    assertThat(iterations.get(2))
        .containsEntry("scheduler_action", "admit_new")
        .containsEntry("forward_duration", "1200"); // 1,000 for the step, 100 for each of 2 blocks
    assertThat(result.events())
        .filteredOn(row -> row.get("event_type").startsWith("kv_transfer_"))
        .extracting(row -> row.get("event_type").substring(12) + " " + row.get("request_id"))
        .containsExactly(
            "store_committed ",
            "initiated ",
            "completed ",
            "store_committed ",
            "load_committed c",
            "initiated ",
            "initiated c",
            "completed ",
            "completed c");
    assertThat(result.request("c"))
        .containsEntry("cached_tokens", "16")
        .containsEntry("host_cached_tokens", "16");
    assertThat(result.request("a")).containsEntry("host_cached_tokens", "0");
  }

  @Test
  void shouldCountMovedBlocksAsFeaturesOfTheirStep() throws IOException {
    final Path journal = temporary.resolve("journal");
    run(journal);

    final Path rows = Files.createDirectory(temporary.resolve("training"));
    try (JournalReader reader = JournalReader.open(journal);
        RunModel training = TrainingExport.to(rows)) {
      reader.readAll(training);
    }

    assertThat(new CsvResult(rows).rows("beta.csv"))
        .extracting(
            row ->
                "%s+%s in %s"
                    .formatted(
                        row.get("kv_saved_blocks"),
                        row.get("kv_loaded_blocks"),
                        row.get("beta_forward_ns")))
        .as("100 ns for each block")
        .containsExactly("0+0 in 1000", "1+0 in 1100", "1+1 in 1200");
  }

  private static void run(Path journal) throws IOException {
    final VirtualClock clock = new VirtualClock();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(4).build())
            .maxNumSeqs(1)
            .vocabularySize(100)
            .hostBlocks(8)
            .build();
    final LinearLatencyModel latency = new LinearLatencyModel(1_000, 0, 0, 0, 100);
    try (JournalProbe probe = JournalProbe.open(journal, JournalLevel.FULL);
        Engine engine =
            HeadwayEngine.builder(new SimulatedExecutor(shape, latency, clock, 1))
                .clock(clock)
                .config(
                    SchedulerConfig.builder(
                            SchedulerLimits.builder()
                                .maxNumSeqs(1)
                                .maxNumBatchedTokens(96)
                                .maxModelLen(48)
                                .build())
                        .kvOffload(new KvOffloadOptions(8))
                        .build())
                .probe(probe)
                .build()) {
      for (String id : List.of("a", "b", "c")) {
        final int[] prompt = new int[id.equals("b") ? 47 : 20];
        Arrays.fill(prompt, id.equals("b") ? 2 : 1);
        engine.submit(Request.builder(id, prompt).maxTokens(1).build());
        while (engine.step()) {
          continue;
        }
      }
    }
  }
}
