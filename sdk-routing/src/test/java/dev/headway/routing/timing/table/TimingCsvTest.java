package dev.headway.routing.timing.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimedRequest;
import dev.headway.routing.timing.TimingChain;
import dev.headway.routing.timing.TimingSegment;
import dev.headway.routing.timing.TimingStage;
import dev.headway.routing.timing.table.TimingCsv.TestKind;
import dev.headway.toolbox.csv.CsvReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TimingCsvTest {

  private static final long SEED = 4;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(TestKind.class)
  void shouldAddUpInEveryRow(TestKind kind) throws IOException {
    final List<Map<String, String>> rows = written(kind, 50);

    assertThat(rows).hasSize(50);
    for (Map<String, String> row : rows) {
      long sumNs = 0;
      for (TimingSegment segment : TimingSegment.values()) {
        final String cell = row.get(segment.column());
        sumNs += cell.isEmpty() ? 0 : Long.parseLong(cell);
      }
      assertThat(BigDecimal.valueOf(sumNs, 9))
          .as("seed %s, row %s", SEED, row.get("req_index"))
          .isEqualTo(new BigDecimal(row.get("total_latency")));
      assertThat(row.get("timing_valid")).isEqualTo("true");
      assertThat(row.get("clock_err_ns")).isEqualTo("0");
      assertThat(new BigDecimal(row.get("pure_queue_time")))
          .isEqualTo(
              new BigDecimal(row.get("queue_time_end"))
                  .subtract(new BigDecimal(row.get("queue_time_start"))));
      assertThat(new BigDecimal(row.get("queue_time_in_router")).signum())
          .isEqualTo(kind == TestKind.ROUTER ? 1 : 0);
    }
  }

  @Test
  void shouldHaveTheRoutersColumnsBehindARouterOnly() throws IOException {
    final Map<String, String> node = written(TestKind.NODE, 1).getFirst();
    final Map<String, String> router = written(TestKind.ROUTER, 1).getFirst();

    assertThat(node.containsKey("worker_id")).isFalse();
    assertThat(node.containsKey("router_recv_ns")).isFalse();
    assertThat(router.get("worker_id")).isEqualTo("w1");
    assertThat(router.get("policy_branch")).isEqualTo("p2c_left");
    assertThat(router.get("to_server_time"))
        .isEqualTo(BigDecimal.valueOf(Long.parseLong(router.get("to_server_ns")), 9).toString());
  }

  @Test
  void shouldLeaveEmptyWhatIsNotKnown() throws IOException {
    final Path file = directory.resolve("failed.csv");
    try (TimingCsv csv = new TimingCsv(file, TestKind.NODE, "run")) {
      final RequestTiming at = new RequestTiming().set(TimingStage.ARRIVED, 1_500_000_000L);
      csv.write(
          new TimingRow(
              new TimingRow.Asked("r", 0, null, 0, false, 10),
              new TimingRow.Outcome("error", null, -1, -1, -1, "refused, \"so\""),
              new TimedRequest(at, null, null, null, null)));
    }

    final Map<String, String> row = read(file).getFirst();
    assertThat(row.get("arrival_time")).isEqualTo("1.500000000");
    assertThat(row.get("error")).isEqualTo("refused, \"so\"");
    for (String column :
        List.of("total_latency", "ttft", "output_tokens", "queue_ns", "preemptions", "tenant")) {
      assertThat(row.get(column)).as(column).isEmpty();
    }
  }

  private List<Map<String, String>> written(TestKind kind, int rows) throws IOException {
    final Path file = directory.resolve(kind + "-" + rows + ".csv");
    final Random random = new Random(SEED);
    final TimingChain chain = new TimingChain("host", 1_000);
    try (TimingCsv csv = new TimingCsv(file, kind, "run-1")) {
      for (int i = 0; i < rows; i++) {
        csv.write(
            new TimingRow(
                new TimingRow.Asked("bench-" + i, i, "t", 0, i == 0, 16),
                new TimingRow.Outcome("ok", "length", 10, 0, 16, null),
                timed(chain, kind, random)));
      }
    }
    return read(file);
  }

  /** Instants in their order, at random distances. */
  private static TimedRequest timed(TimingChain chain, TestKind kind, Random random) {
    final RequestTiming at = new RequestTiming();
    long ns = 1_000;
    for (TimingStage stage : TimingStage.values()) {
      ns += 1 + random.nextLong(5_000_000_000L);
      at.set(stage, ns);
    }
    final ServerTiming server = new ServerTiming("host", at, 10, 0, 16, 0, 77, null, "length");
    final RouterTiming router =
        new RouterTiming(
            "host",
            at,
            ns,
            "w1",
            "http://w1",
            "power-of-two",
            "p2c_left",
            2,
            0,
            900,
            1,
            1,
            2,
            0,
            0,
            null);
    return chain.assemble(at, ns, kind == TestKind.ROUTER ? router : null, server);
  }

  private static List<Map<String, String>> read(Path file) throws IOException {
    assertThat(CsvReader.columns(file)).doesNotHaveDuplicates();
    return CsvReader.rows(file);
  }
}
