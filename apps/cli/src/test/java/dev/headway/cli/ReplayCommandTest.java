package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A small trace from the command line to the files. */
class ReplayCommandTest {

  private static final int REQUESTS = 60;
  private static final String HEADER = "request_id,arrival_ns,input_tokens,output_tokens\n";

  private static final String LLAMA_3_1_8B =
      """
      {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
       "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256}""";

  @TempDir private Path dir;

  /** Every tenth prompt is longer than the context of 1,024 tokens. */
  private Path trace() throws IOException {
    final StringBuilder rows = new StringBuilder(HEADER);
    for (int i = 0; i < REQUESTS; i++) {
      rows.append("r-" + i + "," + i * 20_000_000L + ",");
      rows.append((i % 10 == 9 ? 2_000 : 100 + 7 * i) + "," + (1 + i % 40) + "\n");
    }
    return Files.writeString(dir.resolve("trace.csv"), rows);
  }

  /** 64 blocks of 16 tokens for requests of up to 550: some are preempted. */
  private CliRun replay(Path out, Object... more) throws IOException {
    return CliRun.of(
        Stream.concat(
                Stream.of(
                    "replay",
                    trace(),
                    "--out",
                    out,
                    "--max-model-len",
                    1_024,
                    "--num-blocks",
                    64,
                    "--max-num-seqs",
                    4,
                    "--max-num-batched-tokens",
                    256),
                Stream.of(more))
            .toArray());
  }

  @Test
  void shouldAccountForEveryRequest() throws IOException {
    final CliRun run = replay(dir.resolve("out"));

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    final CsvRows requests = CsvRows.of(dir.resolve("out/csv/per_request.csv"));
    assertThat(requests.column("request_id"))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, REQUESTS).mapToObj(i -> "r-" + i).toList());
    assertThat(requests.rows().stream().filter(row -> row.get("status").equals("rejected")))
        .hasSize(6)
        .allSatisfy(
            row -> {
              assertThat(row.get("reject_reason")).isEqualTo("context_length_limit");
              assertThat(row.get("message")).contains("maxModelLen=1024");
              assertThat(row.get("completion_time")).isEmpty();
            });
    assertThat(run.out())
        .contains("54 finished (length 54)", "6 rejected (context_length_limit 6)", "waiting");
    assertThat(run.out().lines()).allSatisfy(line -> assertThat(line.length()).isLessThan(100));
  }

  @Test
  void shouldReplayALoadThatIsMadeUp() throws IOException {
    final Path out = dir.resolve("made");

    final CliRun run = CliRun.of("replay", "chatbot(rate=30,requests=40)", "--out", out);

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("chatbot(rate=30,requests=40)");
    assertThat(Files.readAllLines(out.resolve("csv/per_request.csv"))).hasSize(41);
  }

  @Test
  void shouldSimulateAModelOnADevice() throws IOException {
    final Path config = Files.writeString(dir.resolve("config.json"), LLAMA_3_1_8B);

    final CliRun h100 = model(config, "--gpu", "h100-sxm", "--rate-scale", "0.02");
    final CliRun l4 = model(config, "--gpu", "l4", "--rate-scale", "0.02");
    final CliRun tooLarge = model(config, "--gpu", "l4", "--gpu-memory-utilization", "0.5");

    assertThat(h100.err()).isEmpty();
    assertThat(figure(h100, "time per output token")).isBetween(6.0, 10.0);
    // 16 GB of weights at 300 GB/s instead of 3,350
    assertThat(figure(l4, "time per output token")).isBetween(60.0, 100.0);
    assertThat(tooLarge.exitCode()).isEqualTo(2);
    assertThat(tooLarge.err())
        .contains("the --model must leave room for a KV block and the null block")
        .contains("--gpu=l4");
  }

  /** (0.9 * 80 GiB - 16.06 GB - 0.5 GiB - ...) / 2 MiB, and twice as many of 1 MiB. */
  @Test
  void shouldKeepTwiceTheBlocksOfEightBitKeysAndValues() throws IOException {
    final Path config = Files.writeString(dir.resolve("config.json"), LLAMA_3_1_8B);
    final List<String> slow = List.of("--rate-scale", "0.02", "--kv-cache-dtype");

    final long auto = blocks(model(config, slow.get(0), slow.get(1), slow.get(2), "auto"));
    final long eight = blocks(model(config, slow.get(0), slow.get(1), slow.get(2), "fp8"));
    final long same = blocks(model(config, slow.get(0), slow.get(1), slow.get(2), "fp8_e4m3"));

    assertThat(auto).isEqualTo(blocks(model(config, slow.get(0), slow.get(1))));
    assertThat(eight - 2 * auto).as("usable ones, a null block beside them").isBetween(0L, 2L);
    assertThat(same).isEqualTo(eight);
  }

  private static long blocks(CliRun run) {
    assertThat(run.exitCode()).as(run.err()).isZero();
    final Matcher blocks = Pattern.compile("of ([\\d,]+) blocks").matcher(run.out());
    assertThat(blocks.find()).as(run.out()).isTrue();
    return Long.parseLong(blocks.group(1).replace(",", ""));
  }

  /** They were timed with the keys and values that they were timed with. */
  @Test
  void shouldRefuseTimedLayersOfOtherKeysAndValues() throws IOException {
    final Path config = Files.writeString(dir.resolve("config.json"), LLAMA_3_1_8B);
    final Path kernels =
        Path.of("..", "..", "sdk-simulation", "src", "test", "resources", "kernels");

    final CliRun run = model(config, "--kernels", kernels, "--kv-cache-dtype", "fp8");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err())
        .contains(
            "--kernels of layers have attention with the keys and values it was timed with, as the"
                + " model computes them: leave --kv-cache-dtype out, or let it be bfloat16");
  }

  @Test
  void shouldRefuseAModelBesideALatency() throws IOException {
    final Path config = Files.writeString(dir.resolve("config.json"), LLAMA_3_1_8B);

    final CliRun run = model(config, "--latency", "1,2,3,4");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--latency and --model exclude each other");
  }

  private CliRun model(Path config, Object... more) throws IOException {
    return CliRun.of(
        Stream.concat(
                Stream.of(
                    "replay",
                    trace(),
                    "--overwrite",
                    "--out",
                    dir.resolve("model"),
                    "--journal-level",
                    "off",
                    "--model",
                    config),
                Stream.of(more))
            .toArray());
  }

  /** The mean in milliseconds of a line of the summary. */
  private static double figure(CliRun run, String name) {
    final String line =
        run.out().lines().filter(text -> text.contains(name)).findFirst().orElseThrow();
    return Double.parseDouble(line.replace(name, "").strip().split(" ")[0]);
  }

  @Test
  void shouldWriteTheSameBytesTwice() throws IOException {
    replay(dir.resolve("one"), "--reproducible");
    replay(dir.resolve("two"), "--reproducible");

    final List<Path> files = filesIn(dir.resolve("one/csv"));
    assertThat(files).hasSize(6);
    for (Path file : files) {
      assertThat(dir.resolve("two/csv").resolve(file.getFileName())).hasSameBinaryContentAs(file);
    }
  }

  @Test
  void shouldMeasureSchedulingBesideVirtualTime() throws IOException {
    final CliRun run = replay(dir.resolve("measured"));
    final CliRun reproducible = replay(dir.resolve("reproducible"), "--reproducible");

    final CsvRows measured = CsvRows.of(dir.resolve("measured/csv/per_iteration.csv"));
    final CsvRows plain = CsvRows.of(dir.resolve("reproducible/csv/per_iteration.csv"));
    for (String column : List.of("start_time", "scheduled_time", "end_time", "actions")) {
      assertThat(measured.column(column)).as(column).isEqualTo(plain.column(column));
    }
    assertThat(measured.column("scheduling_overhead")).containsOnly("0");
    assertThat(measured.column("scheduling_host_ns"))
        .allSatisfy(ns -> assertThat(Long.parseLong(ns)).isPositive());
    assertThat(plain.column("scheduling_host_ns")).containsOnly("");
    assertThat(run.out()).contains("scheduling a step: ");
    assertThat(reproducible.out()).doesNotContain("scheduling a step");
    assertThat(summary(dir.resolve("measured")).at("/machine/scheduling/p50_ns").asLong())
        .isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"simulated", "reference"})
  void shouldKeepToTheTraceOnTheWallClock(String executor) throws IOException {
    final String load = "generated(rate=50,arrival=constant,requests=10,input=8,output=2)";
    final Path out = dir.resolve("out");
    final long beganNs = System.nanoTime();

    final CliRun run =
        CliRun.of(
            "replay", load, "--real-time", "--executor", executor, "-o", out, "--max-num-seqs", 4);

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(System.nanoTime() - beganNs).isGreaterThan(200_000_000);
    assertThat(run.out())
        .contains("took", " for the run, the start of journal and engine included\n")
        .containsOnlyOnce("requests/s")
        .doesNotContain("simulated ");
    final CsvRows requests = CsvRows.of(out.resolve("csv/per_request.csv"));
    final List<String> arrivals = requests.column("arrival_time");
    assertThat(requests.column("status")).containsOnly("finished");
    assertThat(requests.column("arrival_unix_ns")).doesNotContain("");
    assertThat(Long.parseLong(arrivals.get(9)) - Long.parseLong(arrivals.get(0)))
        .as("as in the trace, whenever they were handed over")
        .isEqualTo(9 * 20_000_000L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--executor reference | --executor needs --real-time",
        "--real-time --weights none | --weights needs --executor auto, cuda, vector or reference",
      })
  void shouldRefuseAnExecutorThatWouldDoNothing(String options, String message) {
    final CliRun run = CliRun.of((Object[]) ("replay chatbot " + options).split(" "));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  @Test
  void shouldMeasureTheSameWithoutAJournal() throws IOException {
    final CliRun full = replay(dir.resolve("full"));
    final CliRun off = replay(dir.resolve("off"), "--journal-level", "off");

    assertThat(full.exitCode()).isZero();
    assertThat(off.exitCode()).isZero();
    assertThat(filesIn(dir.resolve("off")))
        .containsExactlyInAnyOrder(
            dir.resolve("off/requests.csv"), dir.resolve("off/summary.json"));
    assertThat(dir.resolve("off/requests.csv"))
        .hasSameBinaryContentAs(dir.resolve("full/requests.csv"));
    assertThat(summary(dir.resolve("off")).get("run"))
        .isEqualTo(summary(dir.resolve("full")).get("run"));
  }

  @Test
  void shouldMeasureWhatTheCsvFilesSay() throws IOException {
    replay(dir.resolve("out"), "--seed", 7);

    final JsonNode run = summary(dir.resolve("out")).get("run");
    final CsvRows requests = CsvRows.of(dir.resolve("out/csv/per_request.csv"));
    assertThat(requests.sum("preemption_count")).isPositive();
    assertThat(run.get("preemptions").asLong()).isEqualTo(requests.sum("preemption_count"));
    assertThat(run.get("recomputed_tokens").asLong()).isEqualTo(requests.sum("recomputed_tokens"));
    assertThat(run.get("prefix_hit_tokens").asLong()).isEqualTo(requests.sum("cached_tokens"));
    assertThat(run.get("output_tokens").asLong()).isEqualTo(requests.sum("output_tokens"));
    assertThat(run.get("ttft").get("count").asLong()).isEqualTo(54);
    assertThat(run.get("waiting_ns").size()).isGreaterThan(2);
    long waitedNs = 0;
    for (String reason : run.get("waiting_ns").propertyNames()) {
      final long ns = run.get("waiting_ns").get(reason).asLong();
      assertThat(ns).as(reason).isEqualTo(requests.sum("waiting_" + reason + "_ns"));
      waitedNs += ns;
    }
    assertThat(waitedNs).isEqualTo(requests.sum("waiting_time"));
  }

  @Test
  void shouldRefuseToReplaceARunUnlessTold() throws IOException {
    final Path out = dir.resolve("out");
    replay(out);
    final byte[] before = Files.readAllBytes(out.resolve("summary.json"));

    final CliRun refused = replay(out);

    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.err().strip())
        .isEqualTo("headway replay: " + out + ": --out exists; --overwrite replaces it");
    assertThat(out.resolve("summary.json")).hasBinaryContent(before);

    assertThat(replay(out, "--overwrite", "--journal-level", "off").exitCode()).isZero();
    assertThat(filesIn(out))
        .containsExactlyInAnyOrder(out.resolve("requests.csv"), out.resolve("summary.json"));
  }

  @Test
  void shouldNeverReplaceWhatIsNoRun() throws IOException {
    final Path out = Files.createDirectory(dir.resolve("out"));
    Files.writeString(out.resolve("thesis.tex"), "precious");

    final CliRun run = replay(out, "--overwrite");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.err().strip())
        .isEqualTo(
            "headway replay: "
                + out
                + ": --out exists and holds more than a run, so it will not be replaced:"
                + " file=thesis.tex");
    assertThat(out.resolve("thesis.tex")).hasContent("precious");
  }

  @Test
  void shouldLeaveNothingOfARunThatFailed() throws IOException {
    final Path trace =
        Files.writeString(dir.resolve("bad.csv"), HEADER + "a,0,100,5\nb,1,many,5\n");

    final Path runs = Files.createDirectory(dir.resolve("runs"));

    final CliRun run = CliRun.of("replay", trace, "--out", runs.resolve("out"));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("headway replay: ")
        .contains("file=" + trace, "line=3", "many")
        .hasLineCount(1);
    assertThat(runs).isEmptyDirectory();
  }

  @Test
  void shouldRunTheDemo() {
    final Path out = dir.resolve("demo");

    final CliRun run = CliRun.of("demo", "--requests", 200, "--out", out);

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
    assertThat(run.out())
        .contains("200 finished (length 200)", "csv/per_request.csv", "analyze.py " + out);
    assertThat(CsvRows.of(out.resolve("csv/per_request.csv")).rows()).hasSize(200);
  }

  private static JsonNode summary(Path out) throws IOException {
    return new JsonMapper().readTree(Files.readString(out.resolve("summary.json")));
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }
}
