package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces with failed requests, whole numbers written as decimals, and nothing left in them. */
class TracesAsTheyComeTest {

  private static final Path LOADS = Path.of("src/test/resources/loads").toAbsolutePath();
  private static final Path BURST = LOADS.resolve("burst_zero.csv");
  private static final Path MOONCAKE = LOADS.resolve("moon_odd.jsonl");
  private static final Path SHAREGPT = LOADS.resolve("sharegpt_odd.json");
  private static final String LEFT_OUT =
      ": burst_zero.csv: 2 of 4 rows left out: 1 without request tokens, 1 without response tokens";

  @TempDir private Path dir;

  private CliRun run(String command, Path load, Object... more) throws IOException {
    final List<Object> words = new ArrayList<>(List.of(command));
    if (command.equals("sweep")) {
      words.add(
          Files.writeString(
              dir.resolve("plan.yaml"),
              "load: %s\ngrid:\n  max-num-seqs: [4, 8]\n".formatted(load)
                  + (List.of(more).contains("--strict") ? "options: {strict: true}\n" : "")));
    } else {
      words.add(load);
      words.addAll(List.of(more));
    }
    if (command.equals("route-study")) {
      words.addAll(List.of("--router", "random", "--router", "least-load", "--resamples", 2));
    }
    words.addAll(List.of("--out", dir.resolve(command), "-q"));
    return CliRun.of(words.toArray());
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "simulate", "compare", "sweep", "route-study", "workload"})
  void shouldLeaveOutFailedRequestsAndSayHowMany(String command) throws IOException {
    final CliRun run = run(command, BURST);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err().lines().toList()).containsExactly("headway " + command + LEFT_OUT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "simulate", "compare", "route-study", "workload", "bench"})
  void shouldRefuseAFailedRequestWhereStrict(String command) throws IOException {
    final CliRun run = run(command, BURST, "--strict");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "headway %s: with --strict every row must be a request: file=%s, line=3, row without response tokens"
                .formatted(command, BURST));
    assertThat(dir.resolve(command)).doesNotExist();
  }

  @Test
  void shouldRefuseAFailedRequestOfAStrictPlan() throws IOException {
    final CliRun run = run("sweep", BURST, "--strict");

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(Files.readString(dir.resolve("sweep/rows.csv")))
        .contains("with --strict every row must be a request");
  }

  @Test
  void shouldReadWholeNumbersHoweverTheyAreWritten() throws IOException {
    final Path csv =
        Files.writeString(
            dir.resolve("pandas.csv"),
            "Timestamp,Request tokens,Response tokens\n5.0,472.0,18.0\n45.0,1e2,7.0\n");

    assertThat(run("replay", MOONCAKE).err()).isEmpty();
    assertThat(run("workload", csv).err()).isEmpty();

    assertThat(CsvRows.of(dir.resolve("replay/csv/per_request.csv")).column("input_tokens"))
        .containsExactlyInAnyOrder("6755", "7319", "7234");
    assertThat(CsvRows.of(dir.resolve("workload")).rows())
        .extracting(row -> Map.entry(row.get("input_tokens"), row.get("output_tokens")))
        .containsExactly(Map.entry("472", "18"), Map.entry("100", "7"));
  }

  @Test
  void shouldLeaveOutEmptyCellsAndRowsWithAnError() throws IOException {
    final Path csv =
        Files.writeString(
            dir.resolve("gaps.csv"),
            "request_id,arrival_ns,input_tokens,output_tokens,tenant,priority,error\n"
                + "a,0,472.0,18.0,,0,\nb,5,,7,,0,\nc,6,100,7,,0,timeout\nd,7,100,7,,0,\n");

    final CliRun run = run("workload", csv);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.err())
        .contains("2 of 4 rows left out: 1 without a number of tokens, 1 of a failed request");
    assertThat(CsvRows.of(dir.resolve("workload")).column("request_id")).containsExactly("a", "d");
  }

  @ParameterizedTest
  @CsvSource({
    "simulate, --strict",
    "replay, --strict",
    "workload, --strict",
    "compare, --format=mooncake"
  })
  void shouldRefuseOptionsAboutRowsWhereThereAreNone(String command, String option) {
    final CliRun run = CliRun.of(command, "chatbot(requests=5)", option, "-o", dir.resolve("out"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains(" is about the rows of a file, and LOAD is made up: LOAD=chatbot(requests=5)");
    assertThat(dir.resolve("out")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"replay", "simulate", "compare", "route-study", "workload", "bench"})
  void shouldFailWhereNoConversationIsLeft(String command) throws IOException {
    final CliRun run = run(command, SHAREGPT);

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            ("headway %s: a load must have at least one request: load=%s; 4 of 4 rows left out: 3"
                    + " of fewer than two turns, 1 with fewer than 4 tokens in the prompt or the"
                    + " answer")
                .formatted(command, SHAREGPT));
  }

  /** Measured requests of which one failed. */
  private Path measured() throws IOException {
    final StringBuilder rows =
        new StringBuilder("request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s,error\n");
    for (int i = 0; i < 80; i++) {
      rows.append("r-%d,%d,%d,%d,0.%d,1.%d,%n".formatted(i, i, 50 + i, 5, 20 + i % 7, 10 + i % 9));
    }
    return Files.writeString(dir.resolve("measured.csv"), rows + "failed,80,50,5,,,timeout\n");
  }

  @ParameterizedTest
  @CsvSource({
    "fit, 'failed 1, warm-up 10'",
    "calibrate, '1 failed when measured, 1 when simulated'"
  })
  void shouldCountFailedMeasuredRequestsOrRefuseThem(String command, String counted)
      throws IOException {
    final Path measured = measured();
    final Path out = dir.resolve("out.json");
    final List<Object> words = new ArrayList<>(List.of(command, measured));
    if (command.equals("calibrate")) {
      words.add(measured);
    }
    words.addAll(List.of("-o", out));

    final CliRun run = CliRun.of(words.toArray());
    Files.delete(out);
    words.add("--strict");
    final CliRun strict = CliRun.of(words.toArray());

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains(counted);
    assertThat(strict.exitCode()).isEqualTo(1);
    assertThat(strict.err())
        .isEqualToIgnoringNewLines(
            "headway %s: with --strict every row must be usable: %s has 1 failed; leave --strict out to count them"
                .formatted(command, measured));
    assertThat(out).doesNotExist();
  }
}
