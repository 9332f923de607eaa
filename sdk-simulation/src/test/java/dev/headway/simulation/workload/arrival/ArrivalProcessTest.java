package dev.headway.simulation.workload.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.Sample;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ArrivalProcessTest {
  private static final long SEED = 5;

  static Stream<Arguments> processes() {
    final RateProfile even = RateProfile.constant(20);
    return Stream.of(
        Arguments.of("constant", ArrivalProcess.of(Gaps.constant(), even)),
        Arguments.of("Poisson", ArrivalProcess.of(Gaps.exponential(), even)),
        Arguments.of("gamma", ArrivalProcess.of(Gaps.gamma(3), even)),
        Arguments.of("Weibull", ArrivalProcess.of(Gaps.weibull(3), even)),
        Arguments.of("switching", ArrivalProcess.switching(50, 5, 2, 4)),
        Arguments.of("on and off", ArrivalProcess.switching(60, 0, 2, 4)),
        Arguments.of(
            "diurnal", ArrivalProcess.of(Gaps.exponential(), RateProfile.diurnal(20, 5, 60, 0))),
        Arguments.of("all at once", ArrivalProcess.allAtOnce()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("processes")
  void shouldNeverStepBackAndRepeatItself(String name, ArrivalProcess given) {
    final double[] first = arrivals(given, SEED, 20_000);

    assertThat(arrivals(given, SEED, 20_000)).as(name).isEqualTo(first);
    for (int i = 1; i < first.length; i++) {
      assertThat(first[i])
          .as("%s, seed %d, arrival %d", name, SEED, i)
          .isGreaterThanOrEqualTo(first[i - 1]);
    }
    if (!name.equals("all at once")) {
      assertThat(first.length / first[first.length - 1]).as(name).isCloseTo(20, within(4.5));
    }
  }

  @Test
  void shouldBePoissonOnTheClockOfItsRate() {
    final RateProfile rate = RateProfile.diurnal(20, 5, 60, 0);
    final ArrivalTimes given = ArrivalProcess.of(Gaps.exponential(), rate).start(SEED);

    final double[] last = {0};
    final Sample gaps =
        Sample.of(
            () -> {
              final double expected = rate.expectedBy(given.next());
              final double gap = expected - last[0];
              last[0] = expected;
              return gap;
            },
            50_000);

    assertThat(gaps.distance(x -> 1 - Math.exp(-x))).as("seed " + SEED).isLessThan(gaps.limit());
  }

  @Test
  void shouldFollowAStepOfTheRate() {
    final ArrivalProcess given =
        ArrivalProcess.of(Gaps.constant(), RateProfile.spike(2, 40, 100, 10));

    final double[] arrivals = arrivals(given, SEED, 700);

    assertThat(count(arrivals, 0, 100)).isBetween(199L, 200L);
    assertThat(count(arrivals, 100, 110)).isBetween(399L, 401L);
    assertThat(count(arrivals, 110, 150)).isBetween(79L, 81L);
  }

  /** Index of dispersion of counts of an on-off process, from its closed form, in long windows. */
  @Test
  void shouldBurstAsAMarkovModulatedProcess() {
    final double[] arrivals = arrivals(ArrivalProcess.switching(60, 0, 2, 4), SEED, 200_000);
    final double window = 100;
    final int windows = (int) (arrivals[arrivals.length - 1] / window);
    final double[] counts = new double[windows];
    for (double arrival : arrivals) {
      final int at = (int) (arrival / window);
      if (at < windows) {
        counts[at]++;
      }
    }

    final double mean = DoubleStream.of(counts).average().orElseThrow();
    final double variance =
        DoubleStream.of(counts).map(n -> (n - mean) * (n - mean)).sum() / (windows - 1);

    final double switches = 1 / 2.0 + 1 / 4.0;
    final double share = 2.0 / 6;
    final double limit = 1 + 2 * 60 * (1 - share) / switches;
    final double ofWindow =
        1 + (limit - 1) * (1 - (1 - Math.exp(-switches * window)) / (switches * window));
    assertThat(mean).isCloseTo(20 * window, within(0.05 * 20 * window));
    assertThat(variance / mean).as("seed " + SEED).isCloseTo(ofWindow, within(0.12 * ofWindow));
  }

  @Test
  void shouldEndAtAnExactTime() {
    final ArrivalProcess given =
        ArrivalProcess.of(Gaps.gamma(3), RateProfile.constant(8)).withExactMean(1_000, 8);

    final double[] arrivals = arrivals(given, SEED, 1_000);

    assertThat(arrivals[999]).isCloseTo(125, within(1e-9));
    final double[] plain =
        arrivals(ArrivalProcess.of(Gaps.gamma(3), RateProfile.constant(8)), SEED, 1_000);
    assertThat(arrivals[10] / arrivals[20]).isCloseTo(plain[10] / plain[20], within(1e-9));
  }

  @Test
  void shouldSendEverythingAtOnce() {
    assertThat(arrivals(ArrivalProcess.allAtOnce().withExactMean(3, 1), SEED, 3))
        .containsExactly(0, 0, 0);
  }

  @Test
  void shouldEndWithItsRate() {
    final ArrivalProcess given =
        ArrivalProcess.of(
            Gaps.constant(), RateProfile.stages(List.of(new RateProfile.Stage(1, 2, 2)), 0));

    assertThat(arrivals(given, SEED, 3)).containsExactly(0.5, 1, Double.POSITIVE_INFINITY);
  }

  @Test
  void shouldRefuseAProcessWithoutARate() {
    assertThatThrownBy(() -> ArrivalProcess.switching(0, 0, 1, 1))
        .hasMessage(
            "firstRate + secondRate must be in [1.0E-9, 1.0E9]: firstRate + secondRate=0.0");
  }

  private static double[] arrivals(ArrivalProcess process, long seed, int count) {
    final ArrivalTimes times = process.start(seed);
    return DoubleStream.generate(times::next).limit(count).toArray();
  }

  private static long count(double[] arrivals, double from, double to) {
    return DoubleStream.of(arrivals).filter(x -> x > from && x <= to).count();
  }
}
