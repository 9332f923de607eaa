package dev.headway.scheduler.policy.order;

import static dev.headway.api.Absent.ABSENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.policy.StepTimeModel;
import dev.headway.testkit.policy.SampleStep;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrefillTimeTest {

  private static final long STEP_NS = 1_000_000;
  private static final long TOKEN_NS = 1_000;

  private final PrefillTime given = new PrefillTime();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 31, 32, 33, 100, 1_000, 2_048, 8_191})
  void shouldBeExactForAStepThatIsLinearInItsTokens(int chunk) {
    final StepTimeModel linear =
        features ->
            features.prefillTokens() == 0 ? 0 : STEP_NS + TOKEN_NS * features.prefillTokens();
    final SampleStep step = step(chunk, linear);
    given.measure(step);

    for (int tokens = 1; tokens <= 2 * chunk + 3; tokens++) {
      final long steps = (tokens + chunk - 1) / chunk;
      assertThat(given.ofNs(tokens, step))
          .as("tokens=%d", tokens)
          .isEqualTo(steps * STEP_NS + tokens * TOKEN_NS);
    }
  }

  @Test
  void shouldLieBetweenItsNeighboursForAnyOtherStep() {
    final StepTimeModel squares = features -> features.prefillTokens() * features.prefillTokens();
    final SampleStep step = step(2_048, squares);
    given.measure(step);

    for (int tokens = 1; tokens < 2_048; tokens++) {
      final long exact = (long) tokens * tokens;
      assertThat(given.ofNs(tokens, step)).as("tokens=%d", tokens).isCloseTo(exact, within(1_024L));
    }
  }

  @Test
  void shouldAskTheModelAFewTimesHoweverManyPromptsWait() {
    final int[] asked = {0};
    final SampleStep step =
        step(
            8_191,
            features -> {
              asked[0]++;
              return STEP_NS;
            });
    given.measure(step);

    for (int tokens = 1; tokens < 20_000; tokens++) {
      given.ofNs(tokens, step);
    }

    assertThat(asked[0]).isEqualTo(33);
  }

  @Test
  void shouldNotKnowWithoutAModel() {
    final SampleStep step = step(2_048, features -> ABSENT);
    given.measure(step);

    assertThat(given.ofNs(1, step)).isEqualTo(ABSENT);
    assertThat(given.ofNs(777, step)).isEqualTo(ABSENT);
    assertThat(given.ofNs(5_000, step)).isEqualTo(ABSENT);
  }

  private static SampleStep step(int chunk, StepTimeModel model) {
    final SchedulerLimits limits =
        SchedulerLimits.builder()
            .maxNumSeqs(1)
            .maxNumBatchedTokens(chunk)
            .maxModelLen(20_000)
            .build();
    final SchedulerConfig config = SchedulerConfig.builder(limits).build();
    return SampleStep.of(config, 16, 64).stepTime(model).build();
  }
}
