package dev.headway.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PipelineOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.schedule.ResetScope;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalReader;
import dev.headway.probes.csv.CsvExport;
import dev.headway.probes.csv.CsvResult;
import dev.headway.probes.csv.LiveRun;
import dev.headway.probes.csv.option.ConvertOptions;
import dev.headway.report.explain.ExplainFixture;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random load on a real engine with a real journal: in the CSV files the times per reason of every
 * request add up to its waiting time, and the waiting and running times to its stay, to the
 * nanosecond; and {@code explain} accounts for the same time in the same way.
 */
class LiveAccountTest {

  private static final int REQUESTS = 120;
  private static final int SEEDS = 3;

  @TempDir private Path temporary;

  /** Settings that bring reasons of their own. */
  private enum Setup {
    USUAL(settings -> settings),
    NEXT_CHUNK(
        settings -> settings.admission(new AdmissionOptions(FullSequenceGate.NEXT_CHUNK, 0.05))),
    PRIORITY(settings -> settings.queuePolicy(QueuePolicy.PRIORITY)),
    WHOLE_PROMPTS(settings -> settings.chunkedPrefill(ChunkedPrefill.DISABLED)),
    ASYNC(settings -> settings.pipeline(PipelineOptions.ASYNC)),
    DRAFTS(settings -> settings.speculation(SpeculationOptions.of(SpeculativeMethod.NGRAM, 2)));

    final UnaryOperator<SchedulerConfig.Builder> settings;

    Setup(UnaryOperator<SchedulerConfig.Builder> settings) {
      this.settings = settings;
    }
  }

  @ParameterizedTest
  @EnumSource(Setup.class)
  void shouldAccountForEveryNanosecond(Setup setup) throws IOException {
    final Set<String> reasons = new HashSet<>();
    long preemptions = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      final Path journal = run(setup, seed);
      final CsvResult files = convert(journal, temporary.resolve("csv" + seed));
      final ExplainFixture explain = new ExplainFixture(visitor -> read(journal, visitor));
      for (Map<String, String> row : files.requests()) {
        final String given = setup + ", seed=" + seed + ", request=" + row.get("request_id");
        assertThat(row).as(given).containsEntry("timing_valid", "true");
        assertThat(row).as(given).containsEntry("status", "finished");
        final Map<String, Long> byReason = waits(row);
        assertThat(byReason.values().stream().mapToLong(Long::longValue).sum())
            .as("reasons: " + given)
            .isEqualTo(number(row, "waiting_time"));
        assertThat(number(row, "waiting_time") + number(row, "execution_time"))
            .as("stay: " + given)
            .isEqualTo(number(row, "completion_time") - number(row, "queued_time"));
        if (number(row, "request_number") % 4 == 0) {
          assertExplained(given, explain.figures(row.get("request_id")), row, byReason);
        }
        reasons.addAll(byReason.keySet());
        preemptions += number(row, "preemption_count");
      }
    }
    assertThat(reasons).as("a load that waits: %s", setup).hasSizeGreaterThan(4);
    assertThat(preemptions).as("a load that preempts: %s", setup).isPositive();
  }

  private static void assertExplained(
      String given,
      ExplainFixture.Figures figures,
      Map<String, String> row,
      Map<String, Long> byReason) {
    assertThat(figures.linesNs()).as(given).isEqualTo(number(row, "e2e_latency"));
    assertThat(figures.waitedForNs()).as(given).isEqualTo(byReason);
    assertThat(figures.tokens()).as(given).isEqualTo(number(row, "output_tokens"));
    assertThat(figures.preemptions()).as(given).isEqualTo(number(row, "preemption_count"));
    assertThat(figures.recomputedTokens()).as(given).isEqualTo(number(row, "recomputed_tokens"));
    if (figures.ttftNs() >= 0) {
      assertThat(figures.ttftNs()).as(given).isEqualTo(number(row, "ttft"));
      assertThat(figures.beforeFirstTokenNs()).as(given).isEqualTo(figures.ttftNs());
    }
  }

  private Path run(Setup setup, int seed) throws IOException {
    final Random random = new Random(seed);
    final Path journal = temporary.resolve("journal" + seed);
    final SchedulerConfig config =
        setup
            .settings
            .apply(
                SchedulerConfig.builder(
                    SchedulerLimits.builder()
                        .maxNumSeqs(6)
                        .maxNumBatchedTokens(48)
                        .maxModelLen(48)
                        .build()))
            .build();
    try (LiveRun run = new LiveRun(journal, 22).settings(builder -> builder.config(config))) {
      run.executor.proposeDrafts(config.speculation().numSpeculativeTokens());
      final List<RequestHandle> live = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        live.add(
            run.submit(
                LiveRun.request("r" + i, 1 + random.nextInt(30))
                    .maxTokens(1 + random.nextInt(16))
                    .priority(random.nextInt(3))
                    .timeout(Duration.ofNanos(5_000 + random.nextInt(400_000)))));
        run.clock.advance(random.nextInt(2_000));
        if (random.nextInt(3) > 0) {
          run.steps(1);
        }
        if (random.nextInt(10) == 0) {
          live.get(random.nextInt(live.size())).cancel();
        }
        if (random.nextInt(30) == 0) {
          run.engine().resetPrefixCache(ResetScope.PREEMPT_RUNNING);
        }
      }
      run.finish();
    }
    return journal;
  }

  private static CsvResult convert(Path journal, Path target) throws IOException {
    try (CsvExport export = CsvExport.begin(target, ConvertOptions.DEFAULT)) {
      read(journal, export.visitor());
      export.finish(JournalEnd.clean(0));
    }
    return new CsvResult(target);
  }

  private static void read(Path journal, RecordVisitor visitor) {
    try (JournalReader reader = JournalReader.open(journal)) {
      reader.readAll(visitor);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Long> waits(Map<String, String> row) {
    final Map<String, Long> byReason = new HashMap<>();
    row.forEach(
        (name, cell) -> {
          if (name.startsWith("waiting_") && name.endsWith("_ns") && !cell.isEmpty()) {
            final long ns = Long.parseLong(cell);
            if (ns != 0) {
              byReason.put(name.substring("waiting_".length(), name.length() - 3), ns);
            }
          }
        });
    return byReason;
  }

  private static long number(Map<String, String> row, String column) {
    return Long.parseLong(row.get(column));
  }
}
