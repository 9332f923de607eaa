package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.simulation.workload.TraceFormat;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import dev.headway.simulation.workload.generated.LoadFiles;
import dev.headway.simulation.workload.generated.NamedLoads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A load to a file and back. */
class WorkloadCommandTest {

  private static final String CHATBOT = "chatbot(rate=30,requests=200,seed=1)";

  @TempDir private Path dir;

  @ParameterizedTest
  @CsvSource({"canonical, load.csv", "canonical, load.csv.gz", "mooncake, load.jsonl.gz"})
  void shouldWriteALoadThatReplaysAsItIs(String format, String name) throws IOException {
    final Path file = dir.resolve(name);

    final CliRun run = CliRun.of("workload", CHATBOT, "-o", file, "--output-format", format);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(CHATBOT, "requests      200 in ", "per second", "wrote         " + file)
        .doesNotContain("not written");
    final List<WorkloadRequest> made = requests(NamedLoads.open(CHATBOT));
    final List<WorkloadRequest> read = requests(LoadFiles.open(file, TraceFormat.AUTO));
    assertThat(read).hasSize(200);
    for (int i = 0; i < 200; i++) {
      assertThat(read.get(i))
          .isEqualTo(made.get(i).withRequestId(read.get(i).requestId()))
          .matches(request -> format.equals("mooncake") || made.contains(request));
    }
  }

  @Test
  void shouldWriteATraceOfBlisWithItsHeader() throws IOException {
    final Path file = dir.resolve("run.csv");

    final CliRun run =
        CliRun.of(
            "workload",
            "prefix_repetition(requests=50,rate=10)",
            "--tenants",
            "2",
            "--rate-scale",
            "2",
            "-o",
            file,
            "--output-format",
            "tracev2");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("in 2.50 s", "not written   arrivals rounded to microseconds: ", "run.yaml");
    final List<WorkloadRequest> read =
        requests(LoadFiles.open(dir.resolve("run.yaml"), TraceFormat.AUTO));
    assertThat(read)
        .hasSize(50)
        .allMatch(request -> request.prefixTokens() == 256 && request.inputTokens() == 512)
        .allMatch(request -> String.valueOf(request.tenant()).startsWith("tenant-"));
    assertThat(CliRun.of("replay", dir.resolve("run.yaml"), "--out", dir.resolve("out")).exitCode())
        .isZero();
  }

  @Test
  void shouldDescribeALoadWithoutWritingIt() throws IOException {
    final Path file =
        Files.writeString(
            dir.resolve("t.csv"),
            "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-01-01 00:00:00,10,1\n"
                + "2024-01-01 00:00:01,9,0\n2024-01-01 00:00:02,30,5\n");

    final CliRun run = CliRun.of("workload", file, "--format", "azure");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out())
        .isEqualTo(
            """

              t.csv

              requests      2 in 2.00 s, 1.00 per second
              gaps          coefficient of variation 0.00
              input         20.0 tokens on average, 30 at most, 40 in all
              output        3.0 tokens on average, 5 at most, 6 in all
            """);
    assertThat(run.err())
        .isEqualToIgnoringNewLines(
            "headway workload: t.csv: 1 of 3 rows left out: 1 without response tokens");
  }

  @Test
  void shouldListTheLoads() {
    final CliRun run = CliRun.of("workload", "--list");

    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains(NamedLoads.names())
        .contains("normal:MEAN:SD:MIN:MAX", "gamma:CV", "as in BLIS");
  }

  @Test
  void shouldKeepWhatIsThere() throws IOException {
    final Path file = Files.writeString(dir.resolve("load.csv"), "mine");

    final CliRun refused = CliRun.of("workload", CHATBOT, "-o", file);
    final CliRun failed = CliRun.of("workload", dir.resolve("none.csv"), "-o", file, "--overwrite");

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err()).contains("the output exists; --overwrite replaces it");
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.err()).contains("no such file: " + dir.resolve("none.csv"));
    assertThat(file).hasContent("mine");
    try (var files = Files.list(dir)) {
      assertThat(files).containsExactly(file);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workload | LOAD is missing",
        "workload random --output-format csv | --output-format: a workload is written as one of canonical,"
            + " mooncake, tracev2: format=csv",
        "workload random --format cvs | --format: trace format must be one of auto, azure",
        "workload randm(seed=1) | ; the nearest: random",
        "workload random(sed=1) | ; the nearest: seed",
        "workload random --limit 0 | --limit must be >= 1: --limit=0",
        "workload random --tenants -1 | --tenants must be in [0, 10000]: --tenants=-1",
        "workload random --rate-scale 0 | --rate-scale must be > 0: --rate-scale=0",
      })
  void shouldRefuseWhatIsWrongInOneLine(String arguments, String message) {
    final CliRun run = CliRun.of((Object[]) arguments.split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains(message).doesNotContain("\tat ");
  }

  private static List<WorkloadRequest> requests(Workload load) {
    try (load) {
      final List<WorkloadRequest> requests = new ArrayList<>();
      for (WorkloadRequest next = load.next(); next != null; next = load.next()) {
        requests.add(next);
      }
      return requests;
    }
  }
}
