package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A small plan, run in every way there is. */
class SweepCommandTest {

  private static final String PLAN =
      """
      load: short-long(requests=60,rate=30)
      options:
        max-num-batched-tokens: 2048
      grid:
        policy: [fcfs, shortest-prefill, nonsense]
        max-num-seqs: [4, 8, 16]
        seed: [1, 2]
      limits: {ttft_ms: 1000, tpot_ms: 50}
      price_per_gpu_hour: 2.5
      """;

  @TempDir private Path dir;
  private Path plan;

  @BeforeEach
  void write() throws IOException {
    plan = Files.writeString(dir.resolve("plan.yaml"), PLAN);
  }

  private CliRun sweep(Object... words) {
    return CliRun.of(Stream.concat(Stream.of("sweep"), Stream.of(words)).toArray());
  }

  private Path swept(String name, Object... words) {
    final Path out = dir.resolve(name);
    final CliRun run =
        sweep(Stream.concat(Stream.of(plan, "-o", out, "-q"), Stream.of(words)).toArray());
    assertThat(run.exitCode()).as(run.err()).isIn(0, 3);
    return out;
  }

  private static Map<String, String> files(Path out) throws IOException {
    try (Stream<Path> entries = Files.list(out)) {
      return entries.collect(
          Collectors.toMap(file -> file.getFileName().toString(), SweepCommandTest::text));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldLeaveARowForEachCell() throws IOException {
    final Path out = dir.resolve("out");
    final CliRun run = sweep(plan, "-o", out);

    assertThat(run.exitCode()).isEqualTo(3);
    assertThat(run.err())
        .isEqualTo("headway sweep: runs failed, the column error says why: runs=6\n");
    assertThat(run.out()).contains("rows          18, of runs that failed 6", out.toString());
    assertThat(files(out)).containsOnlyKeys("rows.csv", "manifest.json", "plan.yaml");
    final List<Map<String, String>> rows = CsvRows.of(out.resolve("rows.csv")).rows();
    assertThat(rows.stream().map(row -> row.get("cell") + " " + row.get("policy")).limit(7))
        .containsExactly(
            "1 fcfs", "2 fcfs", "3 fcfs", "4 fcfs", "5 fcfs", "6 fcfs", "7 shortest-prefill");
    assertThat(rows.get(11).get("requests_finished")).isEqualTo("60");
    assertThat(rows.get(11).get("error")).isEmpty();
    assertThat(Double.parseDouble(rows.get(11).get("cost_per_million_output_tokens"))).isPositive();
    assertThat(rows.get(12).get("requests_finished")).isEmpty();
    assertThat(rows.get(12).get("error")).startsWith("--policy nonsense: no policy named");
    assertThat(rows.get(0).get("duration_ns"))
        .as("a seed is the made-up load's too")
        .isNotEqualTo(rows.get(1).get("duration_ns"));
    final JsonNode manifest = JsonMapper.shared().readTree(text(out.resolve("manifest.json")));
    assertThat(manifest.path("complete").asBoolean()).isTrue();
    assertThat(manifest.path("rows").asInt()).isEqualTo(18);
    assertThat(manifest.path("failed").asInt()).isEqualTo(6);
    assertThat(manifest.at("/files/0/columns/0/type").asString()).isEqualTo("integer");
  }

  @Test
  void shouldLeaveTheSameBytesWithAnyThreadsShardsAndInterruptions() throws IOException {
    final Map<String, String> whole = files(swept("one", "--threads", 1));

    assertThat(files(swept("two", "--threads", 2))).isEqualTo(whole);

    final Object[] merge = {
      "--merge",
      swept("s3", "--shard", "3/3"),
      swept("s1", "--shard", "1/3"),
      swept("s2", "--shard", "2/3", "--threads", 2),
      "-o",
      dir.resolve("merged"),
      "-q"
    };
    assertThat(sweep(merge).exitCode()).isEqualTo(3);
    assertThat(files(dir.resolve("merged"))).isEqualTo(whole);

    final String rows = whole.get("rows.csv");
    for (int kept : new int[] {0, 20, rows.indexOf('\n') + 1, rows.length() / 2, rows.length()}) {
      final Path stopped = stopped(whole, rows.substring(0, kept));
      assertThat(files(swept(stopped.getFileName().toString(), "--resume")))
          .as("kept %d of %d characters", kept, rows.length())
          .isEqualTo(whole);
    }
  }

  /** The directory of a sweep that was stopped. */
  private Path stopped(Map<String, String> whole, String rows) throws IOException {
    final Path out = Files.createTempDirectory(dir, "stopped");
    Files.writeString(out.resolve("rows.csv.part"), rows);
    Files.writeString(out.resolve("plan.yaml"), whole.get("plan.yaml"));
    Files.writeString(
        out.resolve("manifest.json"),
        whole.get("manifest.json").replace("\"complete\" : true", "\"complete\" : false"));
    return out;
  }

  @Test
  void shouldKeepACompleteSweepAndRefuseAnotherPlan() throws IOException {
    final Path out = swept("out", "--shard", "1/9");
    final Map<String, String> before = files(out);

    assertThat(files(swept("out", "--shard", "1/9", "--resume"))).isEqualTo(before);
    final CliRun again = sweep(plan, "-o", out);
    final CliRun shard = sweep(plan, "-o", out, "--resume");
    Files.writeString(plan, PLAN.replace("2.5", "3"));
    final CliRun other = sweep(plan, "-o", out, "--resume", "--shard", "1/9");

    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.err()).contains("--out exists; --overwrite replaces it, --resume goes on");
    assertThat(shard.exitCode()).isEqualTo(1);
    assertThat(other.exitCode()).isEqualTo(1);
    assertThat(other.err()).contains("--resume needs the same plan, shard and version");
    assertThat(files(out)).isEqualTo(before);
    assertThat(files(swept("out", "--shard", "2/9", "--overwrite"))).isNotEqualTo(before);
  }

  @Test
  void shouldLeaveADirectoryWithOtherFilesAlone() throws IOException {
    final Path out = Files.createDirectory(dir.resolve("out"));
    Files.writeString(out.resolve("thesis.tex"), "");

    final CliRun run = sweep(plan, "-o", out, "--overwrite");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err())
        .contains(
            "--out exists and holds more than a sweep, so it will not be used: file=thesis.tex");
  }

  @Test
  void shouldMergeAllShardsOnly() {
    final Path one = swept("s1", "--shard", "1/2");
    final Path two = swept("s2", "--shard", "2/2");

    final CliRun missing = sweep("--merge", one, "-o", dir.resolve("a"));
    final CliRun twice = sweep("--merge", one, one, "-o", dir.resolve("b"));
    final CliRun words = sweep("--merge", one, two, "-o", dir.resolve("c"), "--shard", "1/2");

    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.err()).contains("every shard must be given once: shard=1/2, directories=1");
    assertThat(twice.err()).contains("every shard must be given once: shard=1/2, directories=2");
    assertThat(words.exitCode()).isEqualTo(2);
    assertThat(words.err())
        .contains("--merge joins all shards anew: leave --shard and --resume out");
  }

  @Test
  void shouldSearchTheCapacityOfEachCell() throws IOException {
    Files.writeString(
        plan,
        """
        load: short-long(requests=60)
        grid:
          max-num-seqs: [2, 32]
        capacity: {parameter: load.rate, min: 0.25, max: 64, tolerance: 0.2}
        limits: {ttft_ms: 1000, tpot_ms: 50}
        """);
    final Path one = swept("one", "--threads", 1);

    final List<Map<String, String>> capacities = CsvRows.of(one.resolve("capacity.csv")).rows();
    assertThat(capacities).hasSize(2);
    assertThat(Double.parseDouble(capacities.get(1).get("capacity")))
        .isGreaterThan(2 * Double.parseDouble(capacities.get(0).get("capacity")));
    final Map<String, String> whole = files(one);
    final Path left = swept("l", "--shard", "1/2");
    final Path right = swept("r", "--shard", "2/2");
    assertThat(sweep("--merge", left, right, "-q", "-o", dir.resolve("m")).exitCode()).isZero();
    assertThat(files(dir.resolve("m"))).isEqualTo(whole);
    final String rows = whole.get("rows.csv");
    final Path stopped = stopped(whole, rows.substring(0, rows.lastIndexOf("\n2,4,")));
    assertThat(files(swept(stopped.getFileName().toString(), "--resume"))).isEqualTo(whole);
  }

  @Test
  void shouldSayWhatCapacityItFound() throws IOException {
    Files.writeString(
        plan,
        """
        load: short-long(requests=60)
        grid:
          max-num-seqs: [2, 32]
        capacity: {parameter: load.rate, min: 0.25, max: 64, tolerance: 0.2}
        limits: {ttft_ms: 1000}
        """);
    final Path out = dir.resolve("said");

    final CliRun run = sweep(plan, "-o", out);

    assertThat(run.exitCode()).as(run.err()).isZero();
    final List<Map<String, String>> found = CsvRows.of(out.resolve("capacity.csv")).rows();
    for (Map<String, String> cell : found) {
      assertThat(run.out())
          .contains(
              "max-num-seqs=%s: load.rate=%s; %s is too much"
                  .formatted(
                      cell.get("max_num_seqs"), cell.get("capacity"), cell.get("not_met_at")));
    }
    Files.writeString(plan, Files.readString(plan).replace("max: 64", "max: 0.5"));
    assertThat(sweep(plan, "-o", out, "--overwrite").out())
        .contains("max-num-seqs=32: load.rate=0.5, the most that was asked for");
    Files.writeString(plan, Files.readString(plan).replace("ttft_ms: 1000", "tpot_ms: 0.001"));
    assertThat(sweep(plan, "-o", out, "--overwrite").out())
        .contains("max-num-seqs=2: none, load.rate=0.25, the least, is too much");
  }

  @Test
  void shouldReadPathsFromThePlansDirectory() throws IOException {
    Files.writeString(
        dir.resolve("trace.csv"),
        "request_id,arrival_ns,input_tokens,output_tokens\na,0,512,64\nb,1500000,700,32\n");
    Files.writeString(
        plan, "load: trace.csv\ngrid: {model: [missing/config.json], rate-scale: [1, 2]}\n");
    final Path failed = swept("failed");
    Files.writeString(plan, "load: trace.csv\ngrid: {rate-scale: [1, 0.50]}\n");

    final List<Map<String, String>> rows = CsvRows.of(swept("out").resolve("rows.csv")).rows();

    assertThat(rows.stream().map(row -> row.get("rate_scale"))).containsExactly("1", "0.5");
    assertThat(rows.stream().map(row -> row.get("requests_finished"))).containsExactly("2", "2");
    assertThat(text(failed.resolve("rows.csv")))
        .contains("missing/config.json")
        .doesNotContain(dir.toString());
  }

  @Test
  void shouldSayWhatIsWrong() throws IOException {
    Files.writeString(plan, "load: synthetic\ngrid: {sed: [1]}\n");

    final CliRun run = sweep(plan, "-o", dir.resolve("out"));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .startsWith("headway sweep: plan.yaml:2: there is no option 'sed'; the nearest: ")
        .contains("seed");
    assertThat(dir.resolve("out")).doesNotExist();
    Files.writeString(plan, PLAN);
    assertThat(sweep(plan, "-o", dir.resolve("out"), "--shard", "3").err())
        .startsWith("headway sweep: --shard: a shard must be I/N with 1 <= I <= N: shard=3");
    assertThat(sweep(plan, plan, "-o", dir.resolve("out")).err()).contains("has one PLAN");
  }
}
