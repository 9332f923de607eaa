package dev.headway.loadgen.arrival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.loadgen.Fixtures;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class RateScheduleTest {

  private static final JsonNode GOLDEN = Fixtures.read("arrival_golden.json");
  private static final double EXACT = 1e-12;
  private static final double POISSON = 1;
  private static final double EVEN = Double.POSITIVE_INFINITY;

  private static double[] values(String name) {
    final double[] values = new double[GOLDEN.path(name).size()];
    Arrays.setAll(values, i -> GOLDEN.path(name).path(i).doubleValue());
    return values;
  }

  private static RateSchedule at(double rate, double burstiness, boolean normalize, long seed) {
    return new RateSchedule(rate, null, burstiness, normalize, seed);
  }

  @Test
  void shouldAddUpAndStretchGapsAsTheFixtureDoes() {
    final double rate = GOLDEN.path("request_rate").doubleValue();

    assertThat(at(rate, 1, false, 0).offsets(values("raw_gaps_s")))
        .containsExactly(values("cumulative_s"), within(EXACT));
    assertThat(at(rate, 1, true, 0).offsets(values("raw_gaps_s")))
        .containsExactly(values("normalized_send_offsets_s"), within(EXACT));
  }

  @Test
  void shouldSendTheLastRequestAtTheEndExactly() {
    for (long seed = 0; seed < 20; seed++) {
      final long[] offsetsNs = at(50, 0.5, true, seed).offsetsNs(100);

      assertThat(offsetsNs[99]).as("seed %d", seed).isEqualTo(2_000_000_000L);
      assertThat(offsetsNs[0]).as("the first waits too").isPositive();
      assertThat(offsetsNs).isSorted();
    }
  }

  @Test
  void shouldKeepItsRateInTheMean() {
    final int requests = 20_000;
    for (double burstiness : new double[] {0.3, POISSON, 4}) {
      final long[] offsetsNs = at(100, burstiness, false, 11).offsetsNs(requests);

      final double sigma = 1 / Math.sqrt(burstiness * requests);
      assertThat(offsetsNs[requests - 1] / 1e9 / (requests / 100.0))
          .as("burstiness %s, seed 11", burstiness)
          .isCloseTo(1, within(4 * sigma));
    }
  }

  /** Kolmogorov and Smirnov's test against the exponential distribution, at 0.1 %. */
  @Test
  void shouldDrawExponentialGapsAtBurstinessOne() {
    final int requests = 10_000;
    final long[] offsetsNs = at(1, POISSON, false, 3).offsetsNs(requests);
    final double[] gaps = new double[requests];
    for (int i = 0; i < requests; i++) {
      gaps[i] = (offsetsNs[i] - (i == 0 ? 0 : offsetsNs[i - 1])) / 1e9;
    }
    Arrays.sort(gaps);

    double distance = 0;
    for (int i = 0; i < requests; i++) {
      final double expected = -Math.expm1(-gaps[i]);
      distance = Math.max(distance, Math.abs(expected - (i + 0.5) / requests) + 0.5 / requests);
    }
    assertThat(distance).as("seed 3").isLessThan(1.95 / Math.sqrt(requests));
  }

  @Test
  void shouldSpaceEvenGapsEvenly() {
    assertThat(at(4, EVEN, true, 1).offsetsNs(4))
        .containsExactly(250_000_000, 500_000_000, 750_000_000, 1_000_000_000);
  }

  @Test
  void shouldSendAllAtOnceAtAnInfiniteRate() {
    assertThat(at(Double.POSITIVE_INFINITY, POISSON, true, 1).offsetsNs(3)).containsOnly(0L);
  }

  @Test
  void shouldRampByTheNumberOfTheRequest() {
    final Ramp linear = new Ramp(Ramp.Strategy.LINEAR, 10, 30);
    final Ramp exponential = new Ramp(Ramp.Strategy.EXPONENTIAL, 10, 40);

    assertThat(linear.rateAt(0, 5)).isEqualTo(10);
    assertThat(linear.rateAt(2, 5)).isEqualTo(20);
    assertThat(linear.rateAt(4, 5)).isEqualTo(30);
    assertThat(exponential.rateAt(2, 5)).isCloseTo(20, within(EXACT));
    assertThat(linear.rateAt(0, 1)).isEqualTo(10);
    final long[] offsetsNs = new RateSchedule(1, linear, EVEN, true, 0).offsetsNs(5);
    assertThat(offsetsNs[0]).isEqualTo(100_000_000);
    assertThat(offsetsNs[4] - offsetsNs[3]).isCloseTo(33_333_333L, within(1L));
  }

  @Test
  void shouldNameWhatIsOutOfRange() {
    assertThatThrownBy(() -> at(0, 1, true, 0))
        .hasMessage("the request rate must be > 0: rate=0.0");
    assertThatThrownBy(() -> at(1, 0, true, 0))
        .hasMessage("burstiness must be > 0: burstiness=0.0");
    assertThatThrownBy(() -> new Ramp(Ramp.Strategy.LINEAR, 5, 4))
        .hasMessage("a ramp must have finite 0 < start <= end: start=5.0, end=4.0");
  }

  @Test
  void shouldReadTheScheduleItWrote(@TempDir Path directory) throws Exception {
    final Path file = directory.resolve("schedule.jsonl");
    final List<ScheduleFile.Entry> entries =
        List.of(new ScheduleFile.Entry(5, 7, 9), new ScheduleFile.Entry(1_000_000_007, 1, 2));

    ScheduleFile.write(file, entries);

    assertThat(ScheduleFile.read(file)).isEqualTo(entries);
    assertThat(Files.readString(file))
        .startsWith("{\"i\":0,\"offset_ns\":5,\"prompt_len\":7,\"output_len\":9}\n");
    Files.writeString(file, "{\"i\":0,\"offset_ns\":5,\"prompt_len\":0,\"output_len\":9}\n");
    assertThatThrownBy(() -> ScheduleFile.read(file))
        .hasMessageContaining("line 1: offset_ns must not fall, prompt_len and output_len");
  }
}
