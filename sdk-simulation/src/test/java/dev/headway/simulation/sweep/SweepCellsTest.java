package dev.headway.simulation.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.compare.Load;
import dev.headway.simulation.compare.Measures;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.sweep.SweepAxis.Listed;
import dev.headway.simulation.workload.TraceFormat;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SweepCellsTest {

  private static final ServiceLimits LIMITS =
      new ServiceLimits(new Measures.Slo(1_000_000_000, 50_000_000), 0.99);

  /** Cells of 60 requests, at a rate and with a number of seats. */
  private static CellSetup setup(Map<String, String> parameters) throws IOException {
    final String seats = parameters.getOrDefault("seats", "16");
    if (seats.equals("missing")) {
      throw new NoSuchFileException("seats.json");
    }
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(Integer.parseInt(seats))
                    .maxNumBatchedTokens(2_048)
                    .maxModelLen(32_768)
                    .build())
            .build();
    final String load =
        "short-long(requests=60,rate=%s)".formatted(parameters.getOrDefault("rate", "4"));
    return new CellSetup(
        new Load(load, TraceFormat.AUTO, 1, -1, 0),
        new EngineSettings(
            config,
            KvCacheShape.builder().blockSize(16).blocks(8_192).build(),
            LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
            1),
        LIMITS,
        2,
        3.6);
  }

  private static SweepCells cells(SweepPlan plan, SweepTable table) {
    return new SweepCells(plan, table, SweepCellsTest::setup);
  }

  private static SweepPlan seats(@Nullable CapacitySearch search, String... values) {
    return new SweepPlan(List.of(new Listed("seats", List.of(values))), null, search);
  }

  @Test
  void shouldMeasureARun() {
    final SweepPlan plan = seats(null, "16");
    final SweepTable table = new SweepTable(plan, Map.of("load", "made", "policy", "fcfs"));

    final SweepRow row = cells(plan, table).rows(1).getFirst();

    assertThat(table.isFailed(row)).isFalse();
    assertThat(row.cell()).isEqualTo(1);
    assertThat(row.probe()).isEqualTo(1);
    assertThat(table.value(row, "load")).isEqualTo("made");
    assertThat(table.value(row, "seats")).isEqualTo(16L);
    assertThat(table.value(row, "requests_finished")).isEqualTo(60L);
    assertThat(table.value(row, "gpus")).isEqualTo(2L);
    final long durationNs = (Long) table.value(row, "duration_ns");
    final long tokens = (Long) table.value(row, "output_tokens");
    assertThat((Double) table.value(row, "output_tokens_per_s"))
        .isEqualTo(tokens * 1e9 / durationNs);
    assertThat((Double) table.value(row, "cost_per_million_output_tokens"))
        .as("2 GPUs at 3.6 an hour are 0.002 a second")
        .isCloseTo(0.002 * durationNs / 1e9 * 1e6 / tokens, within(1e-9));
    final long waits =
        table.columns().stream()
            .filter(column -> column.name().startsWith("wait_"))
            .mapToLong(column -> (Long) table.value(row, column.name()))
            .sum();
    assertThat(table.value(row, "waited_ns")).isEqualTo(waits);
    assertThat((Long) table.value(row, "ttft_p50_ns"))
        .isLessThan((Long) table.value(row, "ttft_p99_ns"));
  }

  private static org.assertj.core.data.Offset<Double> within(double value) {
    return org.assertj.core.data.Offset.offset(value);
  }

  @Test
  void shouldSayInTheRowWhyARunFailed() {
    final SweepPlan plan = seats(null, "missing", "x", "0", "4");
    final SweepTable table = new SweepTable(plan, Map.of());

    final List<String> lines =
        IntStream.rangeClosed(1, 4)
            .mapToObj(i -> table.line(cells(plan, table).rows(i).getFirst()))
            .toList();

    assertThat(lines.get(0)).startsWith("1,1,,,missing,,,").endsWith(",no such file: seats.json");
    assertThat(lines.get(1)).endsWith(",\"For input string: \"\"x\"\"\"");
    assertThat(lines.get(2)).contains("maxNumSeqs");
    assertThat(lines.get(3)).startsWith("4,1,,,4,60,0,").endsWith(",");
    assertThat(lines).allSatisfy(line -> assertThat(table.line(table.row(line))).isEqualTo(line));
  }

  @Test
  void shouldFindTheCapacityOfMoreSeatsToBeLarger() {
    final SweepPlan plan = seats(new CapacitySearch("rate", 0.5, 100, 0.1), "4", "16");
    final SweepTable table = new SweepTable(plan, Map.of());
    final CapacityTable capacity = new CapacityTable(table, plan.capacity());

    final List<SweepRow> few = cells(plan, table).rows(1);
    final List<SweepRow> many = cells(plan, table).rows(2);

    assertThat(few.stream().map(row -> table.value(row, "rate")).limit(2))
        .containsExactly(0.5, 100.0);
    assertThat(few.stream().map(SweepRow::probe))
        .isEqualTo(IntStream.rangeClosed(1, few.size()).boxed().toList());
    assertThat(capacity.header())
        .startsWith("cell,load,policy,seats,capacity,not_met_at,probes,output_tokens_per_s,");
    final String[] least = capacity.line(few).split(",", -1);
    final String[] most = capacity.line(many).split(",", -1);
    assertThat(Double.parseDouble(least[5]) / Double.parseDouble(least[4])).isBetween(1.0, 1.1);
    assertThat(Double.parseDouble(most[4])).isGreaterThan(Double.parseDouble(least[4]));
    assertThat(least[6]).isEqualTo(Integer.toString(few.size()));
  }

  @Test
  void shouldCountASharesRequestsExactly() {
    final Measures.Slo slo = new Measures.Slo(1, 1);

    assertThat(new ServiceLimits(slo, 0.07).areMet(7, 100)).isTrue();
    assertThat(new ServiceLimits(slo, 0.07).areMet(6, 100)).isFalse();
    assertThat(new ServiceLimits(slo, 0.29).areMet(28, 100)).isFalse();
    assertThat(new ServiceLimits(slo, 1).areMet(99, 100)).isFalse();
    assertThat(new ServiceLimits(slo, 0.5).areMet(0, 0)).isFalse();
  }

  @Test
  void shouldEndASearchThatFails() {
    final SweepPlan plan = seats(new CapacitySearch("rate", 0.5, 100, 0.1), "x");
    final SweepTable table = new SweepTable(plan, Map.of());

    final List<SweepRow> rows = cells(plan, table).rows(1);

    assertThat(rows).hasSize(1);
    assertThat(new CapacityTable(table, plan.capacity()).line(rows))
        .startsWith("1,,,x,,,1,")
        .contains("For input string");
  }

  @Test
  void shouldGiveTheSameRowsWithAnyNumberOfThreads() throws Exception {
    final SweepPlan plan = seats(null, "1", "2", "4", "8", "16", "x", "32", "64");
    final SweepTable table = new SweepTable(plan, Map.of());
    final SweepCells cells = cells(plan, table);

    final List<String> one = lines(table, new LocalSweepRunner(cells::rows, 1), plan);

    assertThat(one).hasSize(8).doesNotHaveDuplicates();
    for (int threads : new int[] {2, 3, 8}) {
      assertThat(lines(table, new LocalSweepRunner(cells::rows, threads), plan))
          .as("threads=%d", threads)
          .isEqualTo(one);
    }
  }

  private static List<String> lines(SweepTable table, SweepRunner runner, SweepPlan plan)
      throws Exception {
    final List<String> lines = new ArrayList<>();
    runner.run(Shard.WHOLE.cells(plan), rows -> rows.forEach(row -> lines.add(table.line(row))));
    return lines;
  }

  /**
   * The first cell ends last: what is done meanwhile is bounded, and comes in order all the same.
   */
  @Test
  void shouldHandOverInOrderAndRunOnlySoFarAhead() throws Exception {
    final int ahead = 2 * 64;
    final SweepPlan plan =
        seats(null, IntStream.range(0, 1_000).mapToObj(Integer::toString).toArray(String[]::new));
    final SweepTable table = new SweepTable(plan, Map.of());
    final CountDownLatch others = new CountDownLatch(ahead - 1);
    final ConcurrentLinkedQueue<Integer> begun = new ConcurrentLinkedQueue<>();
    final List<Integer> begunByFirst = new ArrayList<>();
    final LocalSweepRunner runner =
        new LocalSweepRunner(
            cell -> {
              begun.add(cell);
              if (cell == 1) {
                await(others);
                begunByFirst.addAll(begun);
              } else {
                others.countDown();
              }
              return List.of(table.failed(cell, 1, Map.of(), "none"));
            },
            2);

    final List<Integer> handed = new ArrayList<>();
    runner.run(Shard.WHOLE.cells(plan), rows -> handed.add(rows.getFirst().cell()));

    assertThat(handed).isEqualTo(IntStream.rangeClosed(1, 1_000).boxed().toList());
    assertThat(begunByFirst).hasSize(ahead);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldStopWhenRowsCannotBeKept() {
    final SweepPlan plan = seats(null, "1", "2");
    final SweepTable table = new SweepTable(plan, Map.of());
    final LocalSweepRunner runner =
        new LocalSweepRunner(cell -> List.of(table.failed(cell, 1, Map.of(), "none")), 2);

    assertThatThrownBy(
            () ->
                runner.run(
                    new int[] {1, 2},
                    rows -> {
                      throw new IOException("the disk is full");
                    }))
        .isInstanceOf(IOException.class)
        .hasMessage("the disk is full");
  }

  @Test
  void shouldRefuseParametersThatShareAColumn() {
    final SweepPlan plan =
        new SweepPlan(
            List.of(new Listed("load.rate", List.of("1")), new Listed("load-rate", List.of("1"))),
            null,
            null);

    assertThatThrownBy(() -> new SweepTable(plan, Map.of()))
        .hasMessage("parameters must have columns of their own: column=load_rate");
  }
}
