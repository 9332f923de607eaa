package dev.headway.simulation.workload.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.workload.arrival.RateProfile.Stage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class RateProfileTest {
  static Stream<Arguments> profiles() {
    return Stream.of(
        Arguments.of("constant", RateProfile.constant(3)),
        Arguments.of("linear up", RateProfile.linearRamp(0, 10, 20)),
        Arguments.of("linear down", RateProfile.linearRamp(10, 1, 20)),
        Arguments.of("exponential up", RateProfile.exponentialRamp(1, 20, 30)),
        Arguments.of("exponential down", RateProfile.exponentialRamp(20, 1, 30)),
        Arguments.of("diurnal", RateProfile.diurnal(5, 8, 40, 10)),
        Arguments.of("spike", RateProfile.spike(2, 50, 10, 3)),
        Arguments.of("stages", RateProfile.stages(List.of(new Stage(7, 3, 3)), 1)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("profiles")
  void shouldInvertItsSum(String name, RateProfile given) {
    double last = 0;
    for (double expected = 0.01; expected < 300; expected *= 1.3) {
      final double seconds = given.timeOf(expected);

      assertThat(given.expectedBy(seconds)).as(name).isCloseTo(expected, within(1e-9 * expected));
      assertThat(seconds).as(name).isGreaterThanOrEqualTo(last);
      last = seconds;
    }
    assertThat(given.timeOf(0)).isZero();
  }

  @Test
  void shouldIntegrateARamp() {
    final RateProfile given = RateProfile.linearRamp(2, 6, 10);

    assertThat(given.expectedBy(5)).isCloseTo(2 * 5 + 0.4 * 25 / 2, within(1e-12));
    assertThat(given.expectedBy(15)).isCloseTo(40 + 5 * 6, within(1e-12));
  }

  @Test
  void shouldDoubleTheRateAtEqualTimes() {
    final RateProfile given = RateProfile.exponentialRamp(1, 8, 3);

    assertThat(given.expectedBy(2) - given.expectedBy(1))
        .isCloseTo(2 * given.expectedBy(1), within(1e-12));
  }

  @Test
  void shouldPeakAndTroughByTheirRatio() {
    final RateProfile given = RateProfile.diurnal(10, 4, 100, 30);

    final double peak = (given.expectedBy(30.5) - given.expectedBy(29.5)) / 1;
    final double trough = (given.expectedBy(80.5) - given.expectedBy(79.5)) / 1;

    assertThat(peak / trough).isCloseTo(4, within(0.01));
    assertThat(given.expectedBy(100)).isCloseTo(1000, within(1e-9));
  }

  @Test
  void shouldWaitThroughStagesWithoutRate() {
    final RateProfile given =
        RateProfile.stages(List.of(new Stage(10, 0, 0), new Stage(5, 2, 2), new Stage(5, 0, 0)), 1);

    assertThat(given.timeOf(1)).isEqualTo(10.5);
    assertThat(given.timeOf(10)).isEqualTo(15);
    assertThat(given.timeOf(11)).isEqualTo(21);
  }

  @Test
  void shouldEndWhereNothingIsExpectedAnyMore() {
    final RateProfile given = RateProfile.linearRamp(10, 0, 10);

    assertThat(given.timeOf(50)).isEqualTo(10);
    assertThat(given.timeOf(50.1)).isInfinite();
  }

  @Test
  void shouldNameWhatIsOutOfRange() {
    assertThatThrownBy(() -> RateProfile.constant(0))
        .hasMessage("rate must be in [1.0E-9, 1.0E9]: rate=0.0");
    assertThatThrownBy(() -> RateProfile.diurnal(1, 0.5, 10, 0))
        .hasMessage("peakToTrough must be in [1.0, 1.0E9]: peakToTrough=0.5");
  }
}
