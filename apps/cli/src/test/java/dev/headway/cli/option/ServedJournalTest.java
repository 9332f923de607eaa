package dev.headway.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.CliRun;
import dev.headway.cli.CsvRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server recorded is a load: the same requests, with the same shared prefixes. */
class ServedJournalTest {

  private static final String[] SAME = {
    "request_id", "input_tokens", "output_tokens", "priority_score", "tenant", "cached_tokens"
  };

  @TempDir private Path dir;

  @Test
  void shouldRepeatWhatAServerRecorded() throws IOException {
    final Path journal = dir.resolve("served");
    final CliRun served =
        ServedRun.of(
            "serve",
            "--port=0",
            "--executor=simulated",
            "--num-blocks=500",
            "--journal=" + journal,
            ServedRun.ASK + "completion,chat,crowd");
    run("convert", journal, "--out", dir.resolve("first"));

    final CliRun again = run("replay", journal, "--out", dir.resolve("again"));

    assertThat(served.out()).contains("http/1.1 200");
    assertThat(again.err()).isEmpty();
    assertThat(again.out()).contains("from the journal: max-num-seqs=", "num-blocks=500");
    final List<List<String>> rows = rows(dir.resolve("first"));
    assertThat(rows).hasSize(8).anySatisfy(row -> assertThat(row.getLast()).isEqualTo("192"));
    assertThat(rows(dir.resolve("again/csv"))).isEqualTo(rows);
  }

  private static CliRun run(Object... words) {
    final CliRun run = CliRun.of(words);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run;
  }

  /** What must be the same of each request, by its id. */
  private static List<List<String>> rows(Path csv) throws IOException {
    final List<List<String>> rows = new ArrayList<>();
    CsvRows.of(csv.resolve("per_request.csv"))
        .rows()
        .forEach(row -> rows.add(List.of(SAME).stream().map(row::get).toList()));
    rows.sort((a, b) -> a.getFirst().compareTo(b.getFirst()));
    return rows;
  }
}
