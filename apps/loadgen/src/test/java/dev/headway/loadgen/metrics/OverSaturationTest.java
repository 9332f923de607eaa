package dev.headway.loadgen.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class OverSaturationTest {

  private static final int SECONDS = 60;

  private static OverSaturation seen(double growthPerSecond, double ttftGrowth, double firstTtft) {
    final Random random = new Random(5);
    final OverSaturation saturation = new OverSaturation();
    for (int second = 0; second < SECONDS; second++) {
      saturation.underWay(second, (int) (20 + growthPerSecond * second + random.nextInt(3)));
      saturation.firstToken(second, firstTtft + ttftGrowth * second + 0.05 * random.nextDouble());
    }
    return saturation;
  }

  @Test
  void shouldBeReachedWhereBothGrow() {
    assertThat(seen(5, 0.2, 0.3).isReached(SECONDS)).isTrue();
  }

  @Test
  void shouldNotBeReachedInASteadyState() {
    assertThat(seen(0, 0, 3).isReached(SECONDS)).as("seed 5").isFalse();
  }

  /** Long prompts that come later make first tokens late, and no queue. */
  @Test
  void shouldNotBeReachedWhileNoMoreAreUnderWay() {
    assertThat(seen(0, 0.2, 0.3).isReached(SECONDS)).as("seed 5").isFalse();
  }

  @Test
  void shouldNotBeReachedWhileFirstTokensComeSoon() {
    assertThat(seen(5, 0.01, 0.3).isReached(SECONDS)).isFalse();
  }

  @Test
  void shouldNotBeReachedAtTheBeginning() {
    assertThat(seen(5, 0.2, 0.3).isReached(29)).isFalse();
  }

  @Test
  void shouldKnowTheQuantilesOfStudent() {
    assertThat(OverSaturation.quantile(3)).isCloseTo(3.182, within(0.04));
    assertThat(OverSaturation.quantile(10)).isCloseTo(2.2281, within(0.001));
    assertThat(OverSaturation.quantile(1_000)).isCloseTo(1.9623, within(0.0001));
  }
}
