package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was recorded is a load: sent again to the same engine, it leaves the same decisions. */
class JournalLoadTest {

  private static final String OWN =
      "request_id,arrival_ns,input_tokens,output_tokens,tenant,priority\n";

  @TempDir private Path dir;

  private CliRun replay(Object load, String out, Object... more) {
    final List<Object> words =
        new ArrayList<>(List.of("replay", load, "--reproducible", "--out", dir.resolve(out)));
    words.addAll(List.of(more));
    final CliRun run = CliRun.of(words.toArray());
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run;
  }

  private void assertSameRun(String first, String second) throws IOException {
    for (String table : new String[] {"per_request.csv", "per_iteration.csv"}) {
      assertThat(Files.readAllLines(dir.resolve(second).resolve("csv").resolve(table)))
          .as(table)
          .isEqualTo(Files.readAllLines(dir.resolve(first).resolve("csv").resolve(table)));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "synthetic(rate=40,requests=200,seed=1)",
        "sessions(rate=1,turns=6,requests=150,seed=2,think=2)",
        "generated(rate=60,requests=200,input=lognormal:5:0.8,output=uniform:1:80,prefix-groups=3,"
            + "prefix-tokens=50,tenants=3,seed=3)",
        "prefix_repetition(requests=80,prefix-len=64,suffix-len=37,num-prefixes=5,output-len=3,seed=4)",
        "prefix_repetition(requests=80,prefix-len=64,suffix-len=7,num-prefixes=5,output-len=3,seed=5)"
      })
  void shouldMakeTheSameDecisionsAgain(String load) throws IOException {
    replay(
        load,
        "first",
        "--num-blocks",
        2_100,
        "--max-num-seqs",
        12,
        "--max-num-batched-tokens",
        512,
        "--max-model-len",
        33_000);

    final CliRun again = replay(dir.resolve("first/journal"), "again");

    assertThat(again.err()).as(load).isEmpty();
    assertThat(again.out())
        .contains("from the journal: max-num-seqs=12, max-num-batched-tokens=512");
    assertSameRun("first", "again");
  }

  /** One seat was recorded, so one runs: in every command that simulates. */
  @ParameterizedTest
  @CsvSource({
    "simulate, requests.csv",
    "compare --policy fcfs --policy priority, requests.csv",
    "route-study, study.csv"
  })
  void shouldTakeTheRecordedSettingsInEveryCommand(String command, String file) throws IOException {
    final Path recorded = dir.resolve("recorded");
    assertThat(
            CliRun.of(
                    "replay",
                    "chatbot(rate=20,requests=20)",
                    "--policy",
                    "priority",
                    "--displacement",
                    "--max-num-seqs=1",
                    "--num-blocks=900",
                    "-q",
                    "-o",
                    recorded)
                .exitCode())
        .isZero();
    final Path journal = recorded.resolve("journal");

    final String run = left(command, journal, file, "max-num-seqs=1, ", "num-blocks=900");
    final String same = left(command, journal, file, "block-size=16", "--max-num-seqs=1");
    final String wider = left(command, journal, file, "num-blocks=900", "--max-num-seqs=20");

    assertThat(run).isEqualTo(same).isNotEqualTo(wider);
  }

  /** As above, in a plan: what it gives goes before what was recorded. */
  @Test
  void shouldTakeTheRecordedSettingsInASweep() throws IOException {
    assertThat(
            CliRun.of(
                    "replay",
                    "chatbot(rate=20,requests=20)",
                    "--max-num-seqs=1",
                    "--num-blocks=900",
                    "-q",
                    "-o",
                    dir.resolve("recorded"))
                .exitCode())
        .isZero();

    final String run = swept("seed: [1]");
    final String same = swept("seed: [1]\n  max-num-seqs: [1]\n  num-blocks: [900]");
    final String wider = swept("seed: [1]\n  max-num-seqs: [20]");

    assertThat(run).isEqualTo(same).isNotEqualTo(wider);
  }

  /** The mean time to the first token of a sweep's only row. */
  private String swept(String grid) throws IOException {
    final Path plan =
        Files.writeString(
            dir.resolve("plan.yaml"), "load: recorded/journal\ngrid:\n  " + grid + "\n");
    final CliRun run = CliRun.of("sweep", plan, "-q", "-o", dir.resolve("swept"), "--overwrite");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err()).contains("from the journal where the plan gives none");
    return CsvRows.of(dir.resolve("swept").resolve("rows.csv")).column("ttft_mean_ns").getFirst();
  }

  /** Runs a command over the journal; words with dashes are options, others are in its summary. */
  private String left(String command, Path journal, String file, String... words)
      throws IOException {
    final Path out = dir.resolve("left");
    final List<Object> all = new ArrayList<>(List.of(command.split(" ")));
    all.addAll(List.of(journal, "-o", out, "--overwrite"));
    final List<String> said = new ArrayList<>(List.of("from the journal"));
    for (String word : words) {
      if (word.startsWith("--")) {
        all.add(word);
      } else {
        said.add(word);
      }
    }

    final CliRun run = CliRun.of(all.toArray());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains(said);
    return Files.readString(out.resolve(file));
  }

  /** Recorded with displacement and drafts: single settings of both are replaced. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--displacement=false | max-num-seqs=4 | displacement",
        "--displacement-gap 2 | displacement=true | displacement-gap",
        "--num-speculative-tokens 3 | speculative-method=ngram | num-speculative-tokens",
        "--draft-acceptance 0.1 | speculative-method=ngram | draft-acceptance",
        "--policy priority --seed 9 | displacement=true | seed",
      })
  void shouldReplaceSingleSettings(String options, String taken, String replaced) {
    replay(
        "priorities(rate=40,requests=60)",
        "first",
        "--policy",
        "priority",
        "--displacement",
        "--max-num-seqs",
        4,
        "--speculative-method",
        "ngram",
        "--num-speculative-tokens",
        2,
        "--seed",
        7);

    final CliRun other =
        replay(dir.resolve("first/journal"), "other", (Object[]) options.split(" "));

    assertThat(other.out().lines().filter(line -> line.contains("from the journal:")))
        .singleElement()
        .asString()
        .contains(taken)
        .doesNotContain(replaced + "=");
    assertThat(other.out()).contains("recorded on   ", "model=Llama-3.1-8B");
  }

  @Test
  void shouldSweepWithTheRecordedPolicy() throws IOException {
    assertThat(
            CliRun.of(
                    "replay",
                    "priorities(rate=40,requests=60)",
                    "--policy",
                    "priority",
                    "--displacement",
                    "--max-num-seqs=4",
                    "-q",
                    "-o",
                    dir.resolve("recorded"))
                .exitCode())
        .isZero();

    swept("max-num-seqs: [4]");

    final CsvRows rows = CsvRows.of(dir.resolve("swept").resolve("rows.csv"));
    assertThat(rows.column("policy")).containsExactly("priority");
  }

  @Test
  void shouldRefuseAFormatOfADirectory() {
    replay("chatbot(rate=40,requests=6)", "first");
    final Path journal = dir.resolve("first/journal");

    final CliRun run = CliRun.of("workload", journal, "--format", "azure");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .contains("a format is of a file: path=" + journal + ", format=AZURE; leave it out");
  }

  @Test
  void shouldLetAShareOfTheDeviceWinOverTheRecordedBlocks() {
    final Path recorded = dir.resolve("shared");
    assertThat(CliRun.of("replay", "chatbot(rate=5,requests=5)", "-q", "-o", recorded).exitCode())
        .isZero();

    final CliRun run =
        CliRun.of(
            "simulate",
            recorded.resolve("journal"),
            "--model",
            Path.of("..", "..", "sdk-executor-host/src/test/resources/models/stories260K-hf"),
            "--gpu-memory-utilization",
            "0.5",
            "-o",
            dir.resolve("half"));

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("from the journal").doesNotContain("num-blocks=");
  }

  @Test
  void shouldKeepPrioritiesTenantsPreemptionsAndRejections() throws IOException {
    final StringBuilder rows = new StringBuilder(OWN);
    for (int i = 0; i < 60; i++) {
      rows.append(
          "r-%d,%d,%d,%d,t-%d,%d%n"
              .formatted(
                  i, i * 20_000_000L, i % 10 == 9 ? 2_000 : 100 + 7 * i, 1 + i % 40, i % 3, i % 4));
    }
    final Path trace = Files.writeString(dir.resolve("trace.csv"), rows);
    replay(
        trace,
        "first",
        "--max-model-len",
        1_024,
        "--num-blocks",
        64,
        "--max-num-seqs",
        4,
        "--max-num-batched-tokens",
        256,
        "--policy",
        "priority",
        "--displacement",
        "--no-prefix-caching");

    final CliRun again = replay(dir.resolve("first/journal"), "again");

    assertThat(again.err()).isEmpty();
    assertThat(again.out()).contains("no-prefix-caching=true", "policy=priority");
    assertSameRun("first", "again");
    assertThat(CsvRows.of(dir.resolve("again/csv/per_request.csv")).column("preemption_count"))
        .anyMatch(count -> !count.isEmpty() && !count.equals("0"));
  }

  @Test
  void shouldPreferAnOptionToTheRecordedSetting() throws IOException {
    replay("chatbot(rate=40,requests=60)", "first", "--num-blocks", 4_000, "--max-num-seqs", 3);

    final CliRun other =
        replay(dir.resolve("first/journal"), "other", "--max-num-seqs", 64, "--kv-gib", 10);

    assertThat(other.out())
        .contains("from the journal: max-num-batched-tokens=8192")
        .doesNotContain("max-num-seqs=", "num-blocks=");
  }

  @ParameterizedTest
  @ValueSource(strings = {"simulate", "compare", "sweep", "route-study", "workload"})
  void shouldBeTheLoadOfEveryCommand(String command) throws IOException {
    replay("chatbot(rate=40,requests=60)", "first");
    final Path journal = dir.resolve("first/journal");
    final Path plan =
        Files.writeString(
            dir.resolve("plan.yaml"), "load: %s\ngrid: {max-num-seqs: [8]}\n".formatted(journal));

    final CliRun run =
        CliRun.of(
            command, command.equals("sweep") ? plan : journal, "--out", dir.resolve("out"), "-q");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err().lines()).allMatch(line -> line.contains("settings from the journal"));
  }

  @Test
  void shouldCalibrateJournals() {
    replay("chatbot(rate=40,requests=60)", "first");
    replay(dir.resolve("first/journal"), "again");

    final CliRun run =
        CliRun.of(
            "calibrate", dir.resolve("first/journal"), dir.resolve("again/journal"), "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("\"failed\"");
  }

  @Test
  void shouldRefuseAJournalOfSeveralRuns() throws IOException {
    replay("chatbot(rate=40,requests=6)", "first");
    final Path runs = dir.resolve("first/journal");
    Files.createDirectory(runs.resolve("run-000002"));
    try (var files = Files.list(runs.resolve("run-000001"))) {
      for (Path file : files.toList()) {
        Files.copy(file, runs.resolve("run-000002").resolve(file.getFileName()));
      }
    }

    final CliRun run = CliRun.of("workload", runs);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err()).contains("a journal of several runs is no load");
  }
}
