package dev.headway.simulation.fit;

import static dev.headway.simulation.fit.RecordedFixture.H100;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.model.AttentionSpec;
import dev.headway.simulation.model.ExpertsSpec;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.model.ModelSpec;
import dev.headway.simulation.model.Parallelism;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A router that is known, from steps that say how many experts computed. */
class RoutingSkewTest {

  private static final ExpertsSpec EXPERTS = new ExpertsSpec(24, 64, 4, 1_024, 0);
  private static final ForwardPass PASS =
      ForwardPass.of(
          ModelSpec.builder("mixture")
              .layers(24)
              .hiddenSize(2_048)
              .vocabularySize(32_000)
              .attention(new AttentionSpec.Grouped(16, 8, 128))
              .denseIntermediateSize(1)
              .experts(EXPERTS)
              .build(),
          Parallelism.tensor(1));

  /** Tokens that draw their experts one after the other, without putting any back. */
  private static long activated(double skew, long tokens, Random random) {
    long sum = 0;
    for (int layer = 0; layer < EXPERTS.layers(); layer++) {
      final boolean[] touched = new boolean[EXPERTS.experts()];
      for (long token = 0; token < tokens; token++) {
        final boolean[] own = new boolean[touched.length];
        for (int slot = 0; slot < EXPERTS.perToken(); slot++) {
          final int expert = draw(skew, own, random);
          own[expert] = true;
          touched[expert] = true;
        }
      }
      for (boolean is : touched) {
        sum += is ? 1 : 0;
      }
    }
    return sum;
  }

  private static int draw(double skew, boolean[] taken, Random random) {
    double rest = 0;
    for (int e = 0; e < taken.length; e++) {
      rest += taken[e] ? 0 : Math.pow(e + 1, -skew);
    }
    double at = random.nextDouble() * rest;
    int expert = -1;
    for (int e = 0; e < taken.length && (at >= 0 || expert < 0); e++) {
      if (!taken[e]) {
        at -= Math.pow(e + 1, -skew);
        expert = e;
      }
    }
    return expert;
  }

  private static RecordedSteps steps(double skew, int count, long seed) {
    final Random random = new Random(seed);
    final RecordedSteps steps = new RecordedSteps("steps");
    for (int i = 0; i < count; i++) {
      final int decodes = 1 + random.nextInt(40);
      final StepFeatures step = new StepFeatures();
      for (int d = 0; d < decodes; d++) {
        step.addDecode(1, 1 + random.nextInt(500));
      }
      final long activated = activated(skew, decodes, random);
      steps.add(step, 4_000_000 + 1_000 * activated, 4_000_000, i * 5_000_000L, activated);
    }
    return steps;
  }

  /** Drawing without putting back is a little more even than the formula, where there is a skew. */
  @ParameterizedTest
  @ValueSource(doubles = {0, 0.4, 0.8, 1.2})
  void shouldFindHowUnevenlyARouterChose(double skew) {
    final RecordedRun run = RecordedRun.of(steps(skew, 150, 3), PASS, H100, null);

    assertThat(run.skew().steps()).isEqualTo(150);
    assertThat(run.skew().value()).isCloseTo(skew, within(0.1 + 0.25 * skew));
    assertThat(run.skew().meanError()).isLessThan(0.03);
    if (skew > 0.5) {
      assertThat(run.skew().meanErrorWithout()).isGreaterThan(3 * run.skew().meanError());
    }
    assertThat(run.pass().experts().spec().routingSkew()).isEqualTo(run.skew().value());
  }

  @Test
  void shouldSayNothingWhereFewStepsDo() {
    final RecordedRun few = RecordedRun.of(steps(1, 19, 3), PASS, H100, null);
    final RecordedRun dense = RecordedRun.of(steps(1, 30, 3), RecordedFixture.PASS, H100, null);

    assertThat(few.skew()).isEqualTo(RoutingSkew.UNKNOWN);
    assertThat(few.pass()).isSameAs(PASS);
    assertThat(dense.skew()).isEqualTo(RoutingSkew.UNKNOWN);
  }

  @Test
  void shouldPredictWithItAgainOnceItWasWritten(@TempDir Path folder) throws IOException {
    final RecordedRun run = RecordedRun.of(steps(1.2, 300, 3), PASS, H100, null);
    final StepTimeFit fit = StepTimeFit.of(List.of(run), StepTimeForm.PHYSICS, 0.7);
    final Path file = folder.resolve("model.json");
    PerformanceModelFile.write(file, fit, null, null);

    final FittedStepTime read = PerformanceModelFile.read(file, PASS, H100, null).stepTime();

    final StepFeatures step = new StepFeatures();
    step.addDecodes(12, 12, 3_000, 800_000, 0);
    assertThat(read.stepNs(step)).isEqualTo(fit.on(run.pass(), H100, null).stepNs(step));
    assertThat(read.stepNs(step)).isLessThan(fit.on(PASS, H100, null).stepNs(step));
    final String skewed = Files.readString(file);
    Files.writeString(
        file, skewed.replaceFirst("\"routing_skew\" : [0-9.]+", "\"routing_skew\" : -1"));
    assertThatThrownBy(() -> PerformanceModelFile.read(file, PASS, H100, null))
        .isInstanceOf(IOException.class)
        .hasMessage(file + ": routing_skew must be >= 0 and finite: value=-1");
  }

  @Test
  void shouldTouchWhatTheProbabilitiesOfTheExpertsSay() {
    final ExpertsSpec even = new ExpertsSpec(1, 8, 2, 16, 0);

    assertThat(even.withRoutingSkew(1e-9).touched(7)).isCloseTo(even.touched(7), within(1e-6));
    assertThat(even.withRoutingSkew(1).touched(1)).isCloseTo(2, within(1e-9));
    assertThat(even.withRoutingSkew(2).touched(1)).isCloseTo(2, within(1e-9)); // one of them sure
    assertThat(even.withRoutingSkew(1).touched(1e9)).isCloseTo(8, within(1e-9));
    assertThat(even.withRoutingSkew(1).touched(5)).isLessThan(even.touched(5));
    assertThat(new ExpertsSpec(1, 4, 4, 16, 0, 3).touched(1)).isCloseTo(4, within(1e-9));
    // ranks 1 to 3 in proportion to 1, 1/2, 1/3: 6/11, 3/11, 2/11 of one choice
    assertThat(new ExpertsSpec(1, 3, 1, 16, 0, 1).touched(2))
        .isCloseTo(
            3 - Math.pow(5. / 11, 2) - Math.pow(8. / 11, 2) - Math.pow(9. / 11, 2), within(1e-9));
    assertThatThrownBy(() -> even.withRoutingSkew(-1))
        .hasMessage("routingSkew must be >= 0 and finite: routingSkew=-1.0");
  }
}
