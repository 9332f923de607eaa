package dev.headway.sweep.spark;

import static java.util.Comparator.comparing;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.sweep.SweepFiles;
import dev.headway.cli.sweep.SweepFiles.Existing;
import dev.headway.cli.sweep.SweepJob;
import dev.headway.simulation.sweep.LocalSweepRunner;
import dev.headway.simulation.sweep.Shard;
import dev.headway.simulation.sweep.SweepRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sweep on a cluster whose worker is killed in the middle, against the same sweep on local
 * threads; then the questions of {@code sql/} to its Parquet.
 */
@Tag("cluster")
@Timeout(600)
class SparkSweepTest {

  private static final Path LIB = Path.of("target", "sweep-spark", "lib").toAbsolutePath();
  private static final String PLAN =
      """
      load: short-long(requests=2000)
      grid:
        policy: [fcfs, shortest-prefill, nonsense]
        load.rate: [6, 12]
        max-num-seqs: [32, 64, 128, 256]
      limits: {ttft_ms: 2000, tpot_ms: 50}
      price_per_gpu_hour: 2.5
      """;

  @TempDir private static Path dir;
  private static SweepJob job;
  private static Path local;
  private static Path clustered;
  private static String driverOutput = "";
  private static long registered;
  private static List<SweepRow> rows;
  private static SparkSession spark;

  @BeforeAll
  static void sweep() throws Exception {
    final Path plan = Files.writeString(dir.resolve("plan.yaml"), PLAN);
    job = SweepJob.read(plan);
    local = dir.resolve("local");
    try (SweepFiles files = SweepFiles.open(local, job, Shard.WHOLE, Existing.REFUSE)) {
      new LocalSweepRunner(job.cells(remark -> {})::rows, 2).run(files.remaining(), files);
      files.finish();
    }
    rows =
        Files.readAllLines(local.resolve("rows.csv")).stream()
            .skip(1)
            .map(job.table()::row)
            .toList();

    clustered = dir.resolve("clustered");
    try (LoopbackCluster cluster = LoopbackCluster.start(Files.createDirectory(dir.resolve("c")))) {
      final WatchedJvm driver =
          cluster.submit(LIB, SparkSweep.class, plan, "-o", clustered, "--cells-per-task", 2);
      final WatchedJvm stranger = cluster.startStranger();
      driver.await(2, "TaskSetManager: Finished task ");
      cluster.killWorker();
      driver.await(1, "TaskSchedulerImpl: Lost executor ");
      assertThat(driver.exitCode()).as(driver.output()).isEqualTo(3);
      driverOutput = driver.output();
      stranger.await(1, "Failed to connect to master");
      registered = cluster.registered();
    }

    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate();
    spark
        .read()
        .parquet(clustered.resolve("rows.parquet").toString())
        .createOrReplaceTempView("sweep");
  }

  @AfterAll
  static void stop() {
    if (spark != null) {
      spark.stop();
    }
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file);
  }

  @Test
  void shouldLeaveTheBytesOfALocalSweepThoughAWorkerWasKilled() throws IOException {
    assertThat(driverOutput).contains("Lost executor", "rows 24, of runs that failed 8");
    assertThat(text(clustered.resolve("rows.csv"))).isEqualTo(text(local.resolve("rows.csv")));
    assertThat(text(clustered.resolve("plan.yaml"))).isEqualTo(PLAN);
    assertThat(withoutVersion(clustered)).isEqualTo(withoutVersion(local));
  }

  @Test
  void shouldHaveTakenNoWorkerWithoutTheSecret() {
    assertThat(registered).isEqualTo(2);
  }

  /** A program that is not in a jar yet has no version. */
  private static String withoutVersion(Path sweep) throws IOException {
    return text(sweep.resolve("manifest.json")).replaceFirst("\"version\" : \"[^\"]*\"", "");
  }

  private static List<Row> answers(String question) throws IOException {
    return spark.sql(text(Path.of("sql", question + ".sql"))).collectAsList();
  }

  private static long whole(SweepRow row, String column) {
    return job.table().value(row, column) instanceof Long value ? value : -1;
  }

  private static double decimal(SweepRow row, String column) {
    return job.table().value(row, column) instanceof Double value ? value : Double.NaN;
  }

  private static List<SweepRow> good() {
    return rows.stream().filter(row -> !job.table().isFailed(row)).toList();
  }

  @Test
  void shouldAnswerWhichCellIsBest() throws IOException {
    final SweepRow best =
        good().stream()
            .max(
                comparing((SweepRow row) -> decimal(row, "goodput_rps"))
                    .thenComparing(SweepRow::cell, Comparator.reverseOrder()))
            .orElseThrow();

    final List<Row> answers = answers("best-cell-per-load");

    assertThat(answers).hasSize(1);
    assertThat(answers.getFirst().<Long>getAs("cell")).isEqualTo(best.cell());
    assertThat(answers.getFirst().<Double>getAs("goodput_rps"))
        .isEqualTo(decimal(best, "goodput_rps"));
  }

  @Test
  void shouldAnswerWhichCellsNoOtherBeats() throws IOException {
    final List<Long> unbeaten =
        good().stream()
            .filter(one -> good().stream().noneMatch(other -> beats(other, one)))
            .sorted(
                comparing((SweepRow row) -> decimal(row, "cost_per_million_output_tokens"))
                    .thenComparing(SweepRow::cell))
            .map(row -> (long) row.cell())
            .toList();

    assertThat(unbeaten).isNotEmpty();
    assertThat(answers("pareto-cost-latency").stream().map(row -> row.<Long>getAs("cell")))
        .isEqualTo(unbeaten);
  }

  private static boolean beats(SweepRow one, SweepRow other) {
    final int cost =
        Double.compare(
            decimal(one, "cost_per_million_output_tokens"),
            decimal(other, "cost_per_million_output_tokens"));
    final int latency = Long.compare(whole(one, "ttft_p99_ns"), whole(other, "ttft_p99_ns"));
    return cost <= 0 && latency <= 0 && cost + latency < 0;
  }

  @Test
  void shouldAnswerHowLatencyIsSpread() throws IOException {
    final Map<Object, List<Long>> latencies =
        good().stream()
            .collect(
                Collectors.groupingBy(
                    row -> String.valueOf(job.table().value(row, "policy")),
                    TreeMap::new,
                    Collectors.mapping(row -> whole(row, "ttft_p99_ns"), Collectors.toList())));

    final List<Row> answers = answers("latency-by-policy");

    assertThat(answers.stream().map(row -> row.<String>getAs("policy")))
        .containsExactly("fcfs", "shortest-prefill");
    for (Row answer : answers) {
      final List<Long> sorted =
          latencies.get(answer.<String>getAs("policy")).stream().sorted().toList();
      assertThat(answer.<Long>getAs("runs")).isEqualTo(8);
      assertThat(answer.<Long>getAs("requests")).isEqualTo(8 * 2_000);
      assertThat(answer.<Long>getAs("ttft_p99_worst_ns")).isEqualTo(sorted.getLast());
      assertThat(answer.<Double>getAs("ttft_p99_median_ns"))
          .isEqualTo((sorted.get(3) + sorted.get(4)) / 2.0);
    }
  }

  @Test
  void shouldAnswerWhatRequestsWaitedFor() throws IOException {
    final List<Row> answers = answers("wait-by-reason");

    for (String policy : List.of("fcfs", "shortest-prefill")) {
      final List<Row> own =
          answers.stream().filter(row -> row.<String>getAs("policy").equals(policy)).toList();
      assertThat(own).isNotEmpty();
      assertThat(own.stream().mapToLong(row -> row.<Long>getAs("reason_ns")).sum())
          .isEqualTo(
              good().stream()
                  .filter(row -> policy.equals(job.table().value(row, "policy")))
                  .mapToLong(row -> whole(row, "waited_ns"))
                  .sum());
      assertThat(own.stream().mapToLong(row -> row.<Long>getAs("permille")).sum())
          .isBetween(1_000L - own.size(), 1_000L);
    }
  }
}
