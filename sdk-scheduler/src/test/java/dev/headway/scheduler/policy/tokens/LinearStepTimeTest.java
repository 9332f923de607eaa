package dev.headway.scheduler.policy.tokens;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.headway.api.policy.StepTimeModel;
import dev.headway.api.step.StepFeatures;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearStepTimeTest {

  @Test
  void shouldAddUpGivenCoefficients() {
    final StepTimeModel given = LinearStepTime.fixed(100, 2, 3, 0.5);

    assertThat(given.estimateNs(step(10, 4, 200))).isEqualTo(100_000 + 20_000 + 12_000 + 100_000);
  }

  @Test
  void shouldKnowNothingAtFirst() {
    final StepTimeModel given = LinearStepTime.learning();
    for (int i = 0; i < LinearStepTime.FIRST_ESTIMATE; i++) {
      assertThat(given.estimateNs(step(10, 4, 200))).isEqualTo(ABSENT);
      given.observe(step(10, 4, 200), 1_000_000);
    }

    assertThat(given.estimateNs(step(10, 4, 200))).isCloseTo(1_000_000, withinPercentage(1));
  }

  @Test
  void shouldLearnTheCoefficients() {
    final StepTimeModel given = LinearStepTime.learning();

    teach(given, 5_000, 40, 30, 0.2, 500);

    assertThat(given.estimateNs(step(1_000, 50, 80_000)))
        .isCloseTo(1_000L * (5_000 + 40_000 + 1_500 + 16_000), withinPercentage(2));
  }

  @Test
  void shouldFollowAChange() {
    final StepTimeModel given = LinearStepTime.learning();
    teach(given, 5_000, 40, 30, 0.2, 2_000);

    teach(given, 5_000, 80, 30, 0.2, 4_000);

    assertThat(given.estimateNs(step(2_000, 0, 0))).isCloseTo(165_000_000, withinPercentage(3));
  }

  @Test
  void shouldNotBeThrownOffByALongMonotonousPhase() {
    final StepTimeModel given = LinearStepTime.learning();
    teach(given, 5_000, 40, 30, 0.2, 1_000);
    for (int i = 0; i < 100_000; i++) {
      given.observe(step(0, 8, 4_000), 1_000L * (5_000 + 240 + 800));
    }

    teach(given, 5_000, 40, 30, 0.2, 200);

    assertThat(given.estimateNs(step(1_000, 50, 80_000)))
        .isCloseTo(62_500_000, withinPercentage(5));
  }

  private static void teach(
      StepTimeModel model, double a, double b, double c, double d, int steps) {
    final Random random = new Random(7);
    for (int i = 0; i < steps; i++) {
      final int prefill = random.nextInt(4_000);
      final int decodes = random.nextInt(100);
      final int context = decodes * (100 + random.nextInt(4_000));
      final double us = a + b * prefill + c * decodes + d * context;
      model.observe(
          step(prefill, decodes, context), (long) (us * 1e3 * (0.99 + random.nextDouble() / 50)));
    }
  }

  /** A prompt, and decodes of one length. */
  private static StepFeatures step(int prefillTokens, int decodes, int contextTokens) {
    final StepFeatures step = new StepFeatures();
    step.addPrefill(prefillTokens, 0);
    for (int i = 0; i < decodes; i++) {
      step.addDecode(1, contextTokens / decodes);
    }
    return step;
  }
}
