package dev.headway.probes.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.JournalLevel;
import dev.headway.events.scenario.EventfulRun;
import dev.headway.probes.chronicle.JournalProbe;
import dev.headway.probes.chronicle.JournalSource;
import dev.headway.probes.csv.option.ConvertOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The CSV files of a run in which much happens have what its clients saw. */
class EventfulRunCsvTest {

  @TempDir private Path temporary;

  @Test
  void shouldHaveTheTokensThatClientsSaw() throws IOException {
    int runs = 0;
    for (EventfulRun run : List.of(EventfulRun.plain(), EventfulRun.withDrafts())) {
      final CsvResult csv = convert(run, "clients-" + runs++);

      assertThat(csv.requests()).hasSize(30);
      assertThat(csv.request("too-long")).containsEntry("reject_reason", "context_length_limit");
      for (Map<String, String> row : csv.requests()) {
        final List<Long> tokens = run.tokensNs(row.get("request_id"));
        assertThat(row)
            .containsEntry("output_tokens", tokens.isEmpty() ? "" : String.valueOf(tokens.size()))
            .containsEntry("last_token_time", tokens.isEmpty() ? "" : tokens.getLast().toString())
            .containsEntry("tpot", tokens.size() < 2 ? "" : perToken(tokens));
      }
    }
  }

  @Test
  void shouldTellTheEndOfAPreemptedRequestByItsDeadline() throws IOException {
    final CsvResult csv = convert(EventfulRun.plain(), "overdue");

    final Map<String, String> overdue = csv.request("overdue");
    assertThat(overdue)
        .containsEntry("finish_reason", "deadline")
        .containsEntry("preemption_count", "1")
        .containsEntry("timeout_ns", "24000")
        .containsEntry("e2e_latency", "24145") // ended between two steps
        .containsEntry("timing_valid", "true");
    assertThat(Long.parseLong(overdue.get("waiting_preempted_ns"))).isPositive();
    assertThat(Long.parseLong(overdue.get("last_token_time")))
        .isLessThan(Long.parseLong(overdue.get("completion_time")));
    assertThat(Long.parseLong(csv.request("fourth").get("waiting_max_num_seqs_ns"))).isPositive();
  }

  private static String perToken(List<Long> tokens) {
    return String.valueOf((tokens.getLast() - tokens.getFirst()) / (tokens.size() - 1));
  }

  private CsvResult convert(EventfulRun run, String name) throws IOException {
    final Path journal = temporary.resolve(name);
    run.run(JournalProbe.open(journal, JournalLevel.FULL));
    final CsvResult csv = new CsvResult(temporary.resolve(name + "-csv"));
    try (JournalSource records = JournalSource.open(journal)) {
      new CsvConverter(records, csv.directory(), ConvertOptions.DEFAULT, (a, b, c) -> {}).convert();
    }
    return csv;
  }
}
