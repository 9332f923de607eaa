package dev.headway.simulation.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.simulation.sweep.SweepAxis.Listed;
import dev.headway.simulation.sweep.SweepAxis.Range;
import dev.headway.simulation.sweep.SweepAxis.Range.Scale;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SweepPlanTest {

  private static final Listed POLICY = new Listed("policy", List.of("fcfs", "hrrn"));
  private static final Listed SEATS = new Listed("max-num-seqs", List.of("8", "16", "32"));

  private static List<Map<String, String>> cells(SweepPlan plan) {
    return IntStream.rangeClosed(1, plan.cells()).mapToObj(i -> plan.cell(i).parameters()).toList();
  }

  @Test
  void shouldVaryTheLastAxisOfAGridFastest() {
    final SweepPlan plan = new SweepPlan(List.of(POLICY, SEATS), null, null);

    assertThat(cells(plan).stream().map(Map::toString))
        .containsExactly(
            "{policy=fcfs, max-num-seqs=8}",
            "{policy=fcfs, max-num-seqs=16}",
            "{policy=fcfs, max-num-seqs=32}",
            "{policy=hrrn, max-num-seqs=8}",
            "{policy=hrrn, max-num-seqs=16}",
            "{policy=hrrn, max-num-seqs=32}");
  }

  @Test
  void shouldBeOneCellWithoutAnAxis() {
    assertThat(cells(new SweepPlan(List.of(), null, null))).containsExactly(Map.of());
  }

  @Test
  void shouldDrawAnAxisAlikeWhateverOthersThereAre() {
    final Range rate = new Range("load.rate", "0.5", "8", Scale.LOG);
    final RandomSample sample = new RandomSample(50, 7);

    final SweepPlan alone = new SweepPlan(List.of(rate), sample, null);
    final SweepPlan both = new SweepPlan(List.of(POLICY, rate), sample, null);

    assertThat(cells(both).stream().map(cell -> cell.get("load.rate")))
        .as("seed %d", sample.seed())
        .isEqualTo(cells(alone).stream().map(cell -> cell.get("load.rate")).toList());
    assertThat(cells(both))
        .isNotEqualTo(cells(new SweepPlan(List.of(POLICY, rate), new RandomSample(50, 8), null)));
  }

  @Test
  void shouldDrawFromAllOfARange() {
    final RandomSample sample = new RandomSample(2_000, 3);
    final Range whole = new Range("max-num-seqs", "1", "4", Scale.LINEAR);
    final Range log = new Range("load.rate", "0.1", "10", Scale.LOG);

    final List<Map<String, String>> cells = cells(new SweepPlan(List.of(whole, log), sample, null));

    final Map<String, Long> counts =
        cells.stream()
            .collect(Collectors.groupingBy(c -> c.get("max-num-seqs"), Collectors.counting()));
    assertThat(counts.keySet()).isEqualTo(Set.of("1", "2", "3", "4"));
    assertThat(counts.values()).as("seed 3: %s", counts).allMatch(n -> n > 400 && n < 600);
    assertThat(cells.stream().mapToDouble(c -> Double.parseDouble(c.get("load.rate"))))
        .allMatch(rate -> rate >= 0.1 && rate <= 10);
    assertThat(cells.stream().filter(c -> Double.parseDouble(c.get("load.rate")) < 1).count())
        .as("seed 3: as many below the geometric mean as above")
        .isBetween(900L, 1_100L);
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertThatThrownBy(() -> new SweepPlan(List.of(POLICY, POLICY), null, null))
        .hasMessage("a parameter must vary once: name=policy");
    assertThatThrownBy(() -> new Listed("seed", List.of("1", "1")))
        .hasMessage("seed must have at least one value, and each once: seed=[1, 1]");
    assertThatThrownBy(() -> new Range("seed", "5", "5", Scale.LINEAR))
        .hasMessage("seed must have numbers min < max: seed.min=5, seed.max=5");
    assertThatThrownBy(() -> new Range("rate", "0", "5", Scale.LOG))
        .hasMessage(
            "rate must have numbers min < max, min > 0 with scale log: rate.min=0, rate.max=5");
    final Range range = new Range("seed", "1", "5", Scale.LINEAR);
    assertThatThrownBy(() -> new SweepPlan(List.of(range), null, null))
        .hasMessage("a grid must have listed values; ranges are for random: name=seed");
    final Listed thousand =
        new Listed("seed", IntStream.range(0, 1_001).mapToObj(Integer::toString).toList());
    assertThatThrownBy(
            () ->
                new SweepPlan(
                    List.of(thousand, new Listed("load.seed", thousand.values())), null, null))
        .hasMessage("a sweep must have 1 to 1000000 cells");
    assertThatThrownBy(
            () ->
                new SweepPlan(List.of(SEATS), null, new CapacitySearch("max-num-seqs", 1, 2, 0.1)))
        .hasMessage("a parameter that is searched must not vary: capacity.parameter=max-num-seqs");
    assertThatThrownBy(() -> new SweepPlan(List.of(SEATS), null, null).cell(4))
        .hasMessage("number must be in [1, cells]: number=4, cells=3");
  }

  @Test
  void shouldGiveEveryCellToOneShard() {
    final SweepPlan plan = new SweepPlan(List.of(POLICY, SEATS), null, null);

    assertThat(Shard.parse("1/4").cells(plan)).containsExactly(1, 5);
    assertThat(Shard.parse("4/4").cells(plan)).containsExactly(4);
    assertThat(
            IntStream.rangeClosed(1, 8)
                .flatMap(i -> Arrays.stream(new Shard(i, 8).cells(plan)))
                .sorted())
        .containsExactly(1, 2, 3, 4, 5, 6);
    assertThatThrownBy(() -> Shard.parse("5/4"))
        .hasMessage("a shard must be I/N with 1 <= I <= N: shard=5/4");
    assertThatThrownBy(() -> Shard.parse("2"))
        .hasMessage("a shard must be I/N with 1 <= I <= N: shard=2");
  }
}
