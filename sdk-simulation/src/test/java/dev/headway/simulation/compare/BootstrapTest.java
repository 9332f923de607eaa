package dev.headway.simulation.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.toolbox.stats.OwnedSample;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BootstrapTest {

  private static final int REQUESTS = 400;

  /** Of requests with the values 0 to 399. */
  private static final Bootstrap.Statistic MEAN =
      weights -> {
        double sum = 0;
        double count = 0;
        for (int i = 0; i < weights.length; i++) {
          sum += (double) i * weights[i];
          count += weights[i];
        }
        return sum / count;
      };

  private static Bootstrap.Interval intervalOf(Bootstrap bootstrap, Bootstrap.Statistic statistic) {
    return bootstrap.intervals(REQUESTS, List.of(statistic)).getFirst();
  }

  @Test
  void shouldComeToTheNormalIntervalOfAMean() {
    final Bootstrap.Interval interval = intervalOf(new Bootstrap(4_000, 1), MEAN);

    final double deviation = Math.sqrt((REQUESTS * (double) REQUESTS - 1) / 12);
    final double error = deviation / Math.sqrt(REQUESTS);
    assertThat(interval.value()).isEqualTo(199.5);
    assertThat(interval.low()).isCloseTo(199.5 - 1.96 * error, within(0.06 * 3.92 * error));
    assertThat(interval.high()).isCloseTo(199.5 + 1.96 * error, within(0.06 * 3.92 * error));
  }

  @Test
  void shouldComeToTheBinomialIntervalOfAMedian() {
    final double[] values = IntStream.range(0, REQUESTS).asDoubleStream().toArray();
    final OwnedSample sample = OwnedSample.ofEach(values);

    final Bootstrap.Interval interval =
        intervalOf(new Bootstrap(4_000, 2), weights -> sample.quantile(weights, 0.5));

    // ranks n/2 -+ 1.96 sqrt(n)/2 = 200 -+ 19.6
    assertThat(interval.low()).isBetween(176.0, 184.0);
    assertThat(interval.high()).isBetween(215.0, 223.0);
  }

  @Test
  void shouldHaveNoWidthWhereAllRequestsAreEqual() {
    assertThat(intervalOf(new Bootstrap(100, 1), weights -> 7))
        .isEqualTo(new Bootstrap.Interval(7, 7, 7));
  }

  @Test
  void shouldDrawAsManyRequestsAsThereAre() {
    final Bootstrap.Interval interval =
        intervalOf(new Bootstrap(200, 1), weights -> IntStream.of(weights).sum());

    assertThat(interval).isEqualTo(new Bootstrap.Interval(REQUESTS, REQUESTS, REQUESTS));
  }

  @Test
  void shouldDependOnTheSeedAlone() {
    final Bootstrap.Interval one = intervalOf(new Bootstrap(300, 5), MEAN);

    assertThat(intervalOf(new Bootstrap(300, 5), MEAN)).isEqualTo(one);
    assertThat(intervalOf(new Bootstrap(300, 6), MEAN)).isNotEqualTo(one);
  }

  @Test
  void shouldLeaveTheIntervalOutWithoutResamples() {
    final Bootstrap.Interval interval = intervalOf(new Bootstrap(0, 1), MEAN);

    assertThat(interval.value()).isEqualTo(199.5);
    assertThat(interval.low()).isNaN();
  }
}
