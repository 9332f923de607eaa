package dev.headway.report.analyze;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.toolbox.stats.SortedSample;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class AnalysisTest {

  private static final Offset<Double> EXACT = within(1e-9);
  private static final WarmUp NO_WARM_UP = new WarmUp(0, 0);

  private final StepTable table = new StepTable();
  private long nowNs = 1_000;

  /** Every expected value was computed by hand. */
  @Test
  void shouldComputeWhatAPersonDoes() {
    step(1, 9, 2, 0, 100); // schedule, run, prefill and decode requests, tokens
    step(3, 17, 0, 4, 4);
    step(2, 28, 1, 4, 54);
    nowNs += 40_000_000; // idle
    step(2, 18, 0, 5, 5);

    final Analysis analysis = Analysis.of(table, NO_WARM_UP);

    assertThat(figure(analysis, "batches")).isEqualTo(4);
    assertThat(figure(analysis, "schedule_mean")).isEqualTo(2, EXACT);
    assertThat(figure(analysis, "schedule_p50")).isEqualTo(2, EXACT);
    // ranks 0..3 are 1, 2, 2, 3; rank 0.95 * 3 = 2.85 lies 0.85 between 2 and 3
    assertThat(figure(analysis, "schedule_p95")).isEqualTo(2.85, EXACT);
    assertThat(figure(analysis, "model_run_mean")).isEqualTo(18, EXACT);
    assertThat(figure(analysis, "model_run_min")).isEqualTo(9, EXACT);
    assertThat(figure(analysis, "model_run_max")).isEqualTo(28, EXACT);
    assertThat(figure(analysis, "prefill_requests_mean")).isEqualTo(0.75, EXACT);
    assertThat(figure(analysis, "decode_requests_mean")).isEqualTo(3.25, EXACT);
    assertThat(figure(analysis, "tokens_mean")).isEqualTo(40.75, EXACT);
    assertThat(figure(analysis, "chunk_size_mean")).isEqualTo(163.0 / 16, EXACT);
    assertThat(figure(analysis, "prefill_chunk_size_mean")).isEqualTo(50, EXACT);
    assertThat(figure(analysis, "decode_chunk_size_mean")).isEqualTo(1, EXACT);
    assertThat(figure(analysis, "scheduling_share")).isEqualTo(8.0 / 80, EXACT);
    assertThat(figure(analysis, "throughput_busy")).isEqualTo(163 / 0.080, within(1e-6));
    assertThat(figure(analysis, "throughput_wall")).isEqualTo(163 / 0.120, within(1e-6));
    assertThat(figure(analysis, "prefill_share_by_requests")).isEqualTo(3.0 / 16, EXACT);
    assertThat(figure(analysis, "prefill_share_by_tokens")).isEqualTo(150.0 / 163, EXACT);
    assertThat(analysis.explanations().get(0))
        .isEqualTo(
            "throughput_busy leaves out the time between steps: 0.080 s of steps in 0.120 s,"
                + " 33.3 % of it idle or taking results over.");
  }

  @Test
  void shouldSayWhenStepsOverlap() {
    for (int i = 0; i < 10; i++) {
      step(1, 19, 0, 1, 1);
      nowNs -= 10_000_000; // the next begins half way
    }

    assertThat(Analysis.of(table, NO_WARM_UP).explanations().get(0))
        .startsWith("throughput_busy counts steps that overlap twice, so it is too low: 0.200 s");
  }

  @Test
  void shouldFlagOutliersOfTheirKindAndKeepThem() {
    final Random random = new Random(5);
    for (int i = 0; i < 200; i++) {
      final boolean prompt = i % 10 == 0;
      step(1, (prompt ? 100 : 10) + random.nextDouble(), prompt ? 1 : 0, 4, 100);
    }
    step(1, 60, 0, 4, 4); // slow for decodes, quick for a prompt

    final Analysis analysis = Analysis.of(table, NO_WARM_UP);

    assertThat(analysis.outliers()).isEqualTo(1);
    assertThat(figure(analysis, "batches")).isEqualTo(201);
    assertThat(analysis.figures().get(0).steady()).isEqualTo(200);
    assertThat(analysis.explanations()).anyMatch(line -> line.startsWith("1 outliers (beyond"));
  }

  @Test
  void shouldFlagNothingWhenAllAreEqual() {
    for (int i = 0; i < 20; i++) {
      step(0, 5, 0, 1, 1);
    }
    step(0.001, 5.001, 0, 1, 1);

    assertThat(Analysis.of(table, NO_WARM_UP).outliers()).isZero();
  }

  @Test
  void shouldFlagWarmUpOfEveryRun() {
    for (int run = 0; run < 2; run++) {
      for (int i = 0; i < 30; i++) { // 100 ms each
        add("run-" + run, 10, 90, 0, 1, 1);
      }
    }

    assertThat(Analysis.of(table, WarmUp.parse("5")).warmUps()).isEqualTo(10);
    assertThat(Analysis.of(table, WarmUp.parse("1s")).warmUps()).isEqualTo(20);
    assertThat(Analysis.of(table, WarmUp.DEFAULT).runs()).isEqualTo(2);
    assertThat(table.spanSeconds()).isEqualTo(6, EXACT);
    assertThatThrownBy(() -> WarmUp.parse("soon"))
        .hasMessage("warm-up must be a number of steps, or of seconds with an s: soon");
  }

  @Test
  void shouldTellADifferenceFromNoise() {
    final StepTable slower = new StepTable();
    final StepTable same = new StepTable();
    fill(table, 1, 10);
    fill(same, 2, 10);
    fill(slower, 3, 10.6);

    assertThat(row(Comparison.of(table, same), "model_run_mean").isSignificant()).isFalse();
    final Comparison.Row mean = row(Comparison.of(table, slower), "model_run_mean");
    assertThat(mean.isSignificant()).isTrue();
    final double difference = mean.second() - mean.first();
    final double halfWidth = 1.96 * Math.sqrt(2.0 / 400); // both have a deviation of 1 ms
    assertThat(difference - mean.low()).isEqualTo(halfWidth, within(0.05));
    assertThat(mean.high() - difference).isEqualTo(halfWidth, within(0.05));
    assertThat(mean.changePercent()).isEqualTo(6, within(1.0));
    assertThat(row(Comparison.of(table, slower), "model_run_p95").isSignificant()).isTrue();
    assertThat(row(Comparison.of(table, slower), "tokens_mean").isSignificant()).isFalse();
  }

  @Test
  void shouldCoverTheTrueMeanAboutAsOftenAsItSays() {
    int covered = 0;
    for (int seed = 0; seed < 100; seed++) {
      final StepTable sample = new StepTable();
      fill(sample, 1_000 + seed, 10);
      final double[] means = new BlockBootstrap(sample.size(), seed).means(sample.runMs);
      Arrays.sort(means);
      final SortedSample drawn = SortedSample.ofAscending(means);
      covered += drawn.quantile(0.025) <= 10 && 10 <= drawn.quantile(0.975) ? 1 : 0;
    }

    assertThat(covered).isBetween(86, 99);
  }

  /** A column beyond its share of the heap is read back from the file, to the last bit. */
  @Test
  void shouldKeepEveryFigureOfALongRun() throws IOException {
    final int steps = (Samples.HEAP_CHUNKS + 3) * Samples.CHUNK + 17;
    final Random random = new Random(7);
    final double[] expected = random.doubles(steps).toArray();
    expected[steps - 1] = Double.NaN;
    final double present = steps - 1;
    final Samples onHeap = new Samples();

    try (ColumnFile file = new ColumnFile()) {
      final Samples samples = new Samples(file);
      for (double value : expected) {
        samples.add(value);
        onHeap.add(value);
      }

      for (int i = 0; i < steps; i += 4_001) {
        assertThat(samples.at(i)).isEqualTo(expected[i]);
      }
      assertThat(samples.sum()).isEqualTo(onHeap.sum());
      assertThat(samples.mean()).isEqualTo(onHeap.sum() / present);
      final double[] ascending = Arrays.copyOf(expected, steps - 1);
      Arrays.sort(ascending);
      assertThat(samples.sorted().quantile(0)).isEqualTo(ascending[0]);
      assertThat(samples.sorted().quantile(1)).isEqualTo(ascending[steps - 2]);
      assertThat(samples.max()).isEqualTo(ascending[steps - 2]);
      assertThat(samples.sorted(i -> i >= steps - 3).count()).isEqualTo(2);
    }
  }

  @Test
  void shouldPrintATableAndJsonOfTheSameFigures() {
    step(1, 9, 2, 0, 100);
    step(3, 17, 0, 4, 4);

    final Analysis analysis = Analysis.of(table, NO_WARM_UP);

    assertThat(AnalysisText.of(analysis))
        .contains("2 steps in 1 run; warm-up: 0, outliers: 0")
        .contains("model_run_mean                           13");
    assertThat(AnalysisJson.of(analysis, null, null))
        .contains("{\"name\":\"model_run_mean\",\"unit\":\"ms\",\"all\":13.0,\"steady\":13.0}")
        .contains("\"all\":null")
        .doesNotContain("NaN", "E-", " :");
  }

  @Test
  void shouldNameTheStepsWhoseSchedulingJumped() {
    final Random random = new Random(6);
    for (int i = 0; i < 200; i++) {
      final boolean prompt = i % 10 == 0;
      final double jump = i == 77 ? 40 : i == 150 ? 90 : 0;
      step((prompt ? 5 : 1) + 0.1 * random.nextDouble() + jump, 10, prompt ? 1 : 0, 4, 100 + i);
    }

    final List<Suspect> suspects = Analysis.of(table, NO_WARM_UP).suspects();

    assertThat(suspects).extracting(Suspect::step).containsExactly(150, 77);
    assertThat(suspects.get(0).tokens()).isEqualTo(250);
    assertThat(suspects.get(0).times())
        .as("of steps with prompts")
        .isCloseTo(95 / 5.05, within(0.3));
    assertThat(suspects.get(1).times()).as("of decodes").isCloseTo(41 / 1.05, within(1.0));
  }

  @Test
  void shouldSayWhereFiguresGo() {
    final Random random = new Random(7);
    for (int i = 0; i < 600; i++) { // a step per 100 ms: a minute
      final StepFigures figures = figures("run", 1, 9, 0, 4, 40);
      figures.kvUsage = 0.2 + 0.5 * i / 600 + 0.01 * random.nextGaussian();
      figures.waiting = 3 + random.nextGaussian();
      table.add(figures);
      nowNs += 90_000_000;
    }

    final Map<String, Trend> trends =
        Analysis.of(table, NO_WARM_UP).trends().stream()
            .collect(Collectors.toMap(Trend::name, each -> each));

    assertThat(trends.get("tokens per second").mean()).isCloseTo(400, within(2.0));
    assertThat(trends.get("share of time in steps").mean()).isCloseTo(0.1, within(0.001));
    assertThat(trends.get("waiting requests").isSignificant()).isFalse();
    final Trend cache = trends.get("KV cache usage");
    assertThat(cache.isSignificant()).isTrue();
    assertThat(cache.perMinute()).isCloseTo(0.5, within(0.01));
    assertThat(cache.minutesToLimit()).as("0.3 left").isCloseTo(0.6, within(0.02));
  }

  private static Comparison.Row row(Comparison comparison, String name) {
    return comparison.rows().stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
  }

  private static double figure(Analysis analysis, String name) {
    return analysis.figures().stream()
        .filter(figure -> figure.name().equals(name))
        .findFirst()
        .orElseThrow()
        .all();
  }

  private void fill(StepTable to, long seed, double runMs) {
    final Random random = new Random(seed);
    final StepFigures figures = new StepFigures();
    for (int i = 0; i < 400; i++) {
      figures.clear();
      figures.scheduleMs = 1;
      figures.runMs = runMs + random.nextGaussian();
      figures.tokens = 5;
      to.add(figures);
    }
  }

  private void step(double scheduleMs, double runMs, int prefills, int decodes, int tokens) {
    add("run", scheduleMs, runMs, prefills, decodes, tokens);
  }

  private void add(
      String run, double scheduleMs, double runMs, int prefills, int decodes, int tokens) {
    table.add(figures(run, scheduleMs, runMs, prefills, decodes, tokens));
  }

  private StepFigures figures(
      String run, double scheduleMs, double runMs, int prefills, int decodes, int tokens) {
    final StepFigures figures = new StepFigures();
    figures.runId = run;
    figures.scheduleMs = scheduleMs;
    figures.runMs = runMs;
    figures.prefillRequests = prefills;
    figures.decodeRequests = decodes;
    figures.tokens = tokens;
    figures.prefillTokens = prefills == 0 ? 0 : tokens - decodes;
    figures.beginNs = nowNs;
    nowNs += Math.round((scheduleMs + runMs) * 1e6);
    figures.resultNs = nowNs;
    return figures;
  }
}
