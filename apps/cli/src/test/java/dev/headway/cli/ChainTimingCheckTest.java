package dev.headway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.probes.csv.check.TimingCheck;
import dev.headway.probes.csv.check.Verdict;
import dev.headway.probes.csv.check.Verdict.Status;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingChain;
import dev.headway.routing.timing.TimingStage;
import dev.headway.routing.timing.table.TimingCsv;
import dev.headway.routing.timing.table.TimingCsv.TestKind;
import dev.headway.routing.timing.table.TimingRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What a load generator writes, held to the rules of its timing. */
class ChainTimingCheckTest {

  private static final long MS = 1_000_000;
  private static final int ROWS = 20;

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource(TestKind.class)
  void shouldPassWhatIsWritten(TestKind kind) throws IOException {
    write(kind);

    final List<Verdict> verdicts = TimingCheck.run(directory);

    assertThat(verdicts)
        .filteredOn(verdict -> !(verdict.rule().equals("router") && kind == TestKind.NODE))
        .as("every rule has rows to look at: no column has another name here than there")
        .allSatisfy(verdict -> assertThat(verdict.status()).isEqualTo(Status.PASS))
        .allSatisfy(verdict -> assertThat(verdict.checked()).isGreaterThan(0));
    assertThat(verdicts).extracting(Verdict::rule).contains("parts add up", "I1", "I3");
  }

  @ParameterizedTest
  @CsvSource({
    "tok_end_ns, 1, order",
    "queue_ns, 1, parts add up",
    "queue_ns, -5, no negative part",
    "pure_queue_time, 0.5, pure_queue_time",
    "exec_total, 0.5, I1",
    "queue_total, -9223372031.123, queue_total",
    "queue_total, 0.9, queue_total",
    "timing_valid, false, I3",
    "enqueue_ns, '', filled",
    "arrival_ns, 1700000000000000000, one clock",
    "req_id, bench-1, one row each",
    "routing_ns, 200000000, router"
  })
  void shouldFindWhatIsWrong(String column, String value, String rule) throws IOException {
    write(TestKind.ROUTER);
    change(column, value);

    assertThat(TimingCheck.run(directory.resolve(TimingCsv.ROUTER_FILE)))
        .filteredOn(verdict -> verdict.status() == Status.FAIL)
        .extracting(Verdict::rule)
        .contains(rule);
  }

  @Test
  void shouldFindALongQueueWhereNobodyWaited() throws IOException {
    write(TestKind.NODE);
    change("first_sched_ns", "900000000");

    assertThat(TimingCheck.run(directory))
        .filteredOn(verdict -> verdict.status() == Status.FAIL)
        .extracting(Verdict::rule)
        .contains("low load");
  }

  /** Writes another value into a cell of the first row. */
  private void change(String column, String value) throws IOException {
    final Path file;
    try (var files = Files.list(directory)) {
      file = files.findFirst().orElseThrow();
    }
    final List<String> lines = Files.readAllLines(file);
    final List<String> columns = List.of(lines.getFirst().split(",", -1));
    final String[] cells = lines.get(1).split(",", -1);
    cells[columns.indexOf(column)] = value;
    lines.set(1, String.join(",", cells));
    Files.write(file, lines);
  }

  private void write(TestKind kind) throws IOException {
    final String name = kind == TestKind.NODE ? TimingCsv.NODE_FILE : TimingCsv.ROUTER_FILE;
    final Random random = new Random(3);
    final TimingChain chain = new TimingChain("host", 0);
    try (TimingCsv csv = new TimingCsv(directory.resolve(name), kind, "run")) {
      long ns = 0;
      for (int i = 0; i < ROWS; i++) {
        final RequestTiming at = new RequestTiming();
        for (TimingStage stage : TimingStage.values()) {
          ns += 1 + random.nextLong(MS);
          at.set(stage, ns);
        }
        final long queuedNs = at.durationNs(TimingStage.QUEUED, TimingStage.SCHEDULED);
        final ServerTiming server =
            new ServerTiming("host", at, 10, 0, 16, 0, queuedNs, null, "length");
        final RouterTiming router =
            new RouterTiming(
                "host", at, ns, "w", "http://w", "random", "random", 2, 0, 9, 0, 0, 0, 0, 0, null);
        csv.write(
            new TimingRow(
                new TimingRow.Asked("bench-" + i, i, null, 0, false, 16),
                new TimingRow.Outcome("ok", "length", 10, 0, 16, null),
                chain.assemble(at, ns, kind == TestKind.ROUTER ? router : null, server)));
      }
    }
  }
}
