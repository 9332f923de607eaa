package dev.headway.loadgen.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.loadgen.Fixtures;
import dev.headway.toolbox.stats.SortedSample;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

class BenchMetricsTest {

  private static final double EXACT = 1e-12;
  private static final JsonNode GOLDEN = Fixtures.read("bench_metrics_golden.json");

  static List<Sample> golden() {
    final List<Sample> samples = new ArrayList<>();
    for (JsonNode request : GOLDEN.path("requests")) {
      final double[] gaps = new double[request.path("itl").size()];
      for (int i = 0; i < gaps.length; i++) {
        gaps[i] = request.path("itl").path(i).doubleValue();
      }
      samples.add(
          new Sample(
              request.path("start").doubleValue(),
              request.path("ttft").doubleValue(),
              gaps,
              request.path("prompt_len").intValue(),
              request.path("output_tokens").intValue(),
              request.path("latency").doubleValue(),
              0));
    }
    return samples;
  }

  private static BenchMetrics metrics(String... levels) {
    return BenchMetrics.of(
        golden(), 0, GOLDEN.path("duration_s").doubleValue(), ServiceLevel.parse(List.of(levels)));
  }

  @ParameterizedTest
  @EnumSource(names = {"TTFT", "TPOT", "ITL", "E2EL"})
  void shouldComeToTheFiguresOfNumpy(Latency latency) {
    final JsonNode expected =
        GOLDEN.path("expected_s").path(latency.name().toLowerCase(Locale.ROOT));

    final SortedSample of = metrics().of(latency);

    assertThat(of.mean()).isCloseTo(expected.path("mean").doubleValue(), within(EXACT));
    assertThat(of.median()).isCloseTo(expected.path("median").doubleValue(), within(EXACT));
    assertThat(of.standardDeviation())
        .isCloseTo(expected.path("std_population").doubleValue(), within(EXACT));
    for (int percent : new int[] {50, 90, 95, 99}) {
      assertThat(of.percentile(percent))
          .as("p%d", percent)
          .isCloseTo(expected.path("p" + percent).doubleValue(), within(EXACT));
    }
  }

  @Test
  void shouldComeToTheRatesOfTheFixture() {
    final BenchMetrics metrics = metrics("ttft:300", "tpot:25");

    assertThat(
            Map.of(
                "request_throughput", metrics.requestThroughput(),
                "output_throughput", metrics.outputThroughput(),
                "total_token_throughput", metrics.totalTokenThroughput(),
                "mean_concurrency", metrics.meanConcurrency(),
                "peak_concurrency", (double) metrics.peakConcurrency(),
                "good_requests", (double) metrics.good(),
                "request_goodput", metrics.requestGoodput()))
        .allSatisfy(
            (name, value) ->
                assertThat(value)
                    .as(name)
                    .isCloseTo(GOLDEN.path(name).doubleValue(), within(EXACT)));
    assertThat(metrics.attainment()).isEqualTo(0.75);
    assertThat(metrics.met()).containsExactly(3, 4);
  }

  @Test
  void shouldTakeALimitThatIsJustKeptForKept() {
    assertThat(metrics("ttft:600").good()).isEqualTo(4);
    assertThat(metrics("ttft:599.999").good()).isEqualTo(3);
  }

  @Test
  void shouldCountAnAnswerOfOneTokenForNothingInTpotButForGoodInGoodput() {
    final Sample one = new Sample(0, 0.25, new double[0], 20, 1, 0.25, 0);

    final BenchMetrics metrics =
        BenchMetrics.of(List.of(one), 0, 1, ServiceLevel.parse(List.of("tpot:0")));

    assertThat(metrics.of(Latency.TPOT).count()).isZero();
    assertThat(metrics.good()).isEqualTo(1);
  }

  @Test
  void shouldHaveNoFiguresOfNothing() {
    final BenchMetrics metrics =
        BenchMetrics.of(List.of(), 3, 1, ServiceLevel.parse(List.of("ttft:1")));

    assertThat(metrics.of(Latency.TTFT).mean()).isNaN();
    assertThat(metrics.of(Latency.TTFT).percentile(99)).isNaN();
    assertThat(metrics.requestGoodput()).isZero();
    assertThat(metrics.attainment()).isZero();
    assertThat(metrics.peakConcurrency()).isZero();
  }

  /** Arrivals each 0.1 s, one place, 0.5 s each. */
  @Test
  void shouldComeToTheClientQueueOfTheCappedExample() {
    final List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      samples.add(new Sample(0.1 + 0.5 * i, 0.1, new double[0], 1, 1, 0.5, 0.4 * i));
    }

    final BenchMetrics metrics = BenchMetrics.of(samples, 0, 4.1, List.of());

    final SortedSample queue = metrics.of(Latency.CLIENT_QUEUE_TIME);
    assertThat(queue.mean()).isCloseTo(1.4, within(EXACT));
    assertThat(queue.percentile(99)).isCloseTo(2.772, within(EXACT));
    assertThat(metrics.of(Latency.E2EL_INCLUDING_CLIENT_QUEUE).mean())
        .isCloseTo(1.9, within(EXACT));
    assertThat(metrics.peakConcurrency()).as("one ends as the next starts").isEqualTo(1);
  }

  @Test
  void shouldRefuseServiceLevelsItDoesNotKnow() {
    assertThatThrownBy(() -> ServiceLevel.parse(List.of("latency:3")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "a service level must be ttft, tpot, e2el or itl_p99, a colon, and milliseconds >= 0:"
                + " latency:3");
    assertThatThrownBy(() -> ServiceLevel.parse(List.of("ttft:-1")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldPutTheFigureInsideItsInterval() {
    final Intervals intervals =
        Intervals.of(golden(), 0, 1.5, ServiceLevel.parse(List.of("ttft:300")), 3);

    assertThat(intervals.resamples()).isEqualTo(10_000);
    assertThat(intervals.byName())
        .containsOnlyKeys(
            "p50_ttft_ms",
            "p99_ttft_ms",
            "p50_tpot_ms",
            "p99_tpot_ms",
            "p50_e2el_ms",
            "p99_e2el_ms",
            "request_goodput")
        .allSatisfy(
            (name, interval) ->
                assertThat(interval.value())
                    .as(name)
                    .isBetween(interval.low() - EXACT, interval.high() + EXACT));
    assertThat(intervals.byName().get("p99_ttft_ms").value())
        .isCloseTo(589.4999999999999, within(1e-9));
    assertThat(Intervals.of(golden(), 0, 1.5, List.of(), 3).byName().get("p50_e2el_ms"))
        .as("equal seeds draw equal requests")
        .isEqualTo(intervals.byName().get("p50_e2el_ms"));
  }
}
