package dev.headway.simulation.fit;

import static dev.headway.simulation.fit.RecordedFixture.FORWARD;
import static dev.headway.simulation.fit.RecordedFixture.H100;
import static dev.headway.simulation.fit.RecordedFixture.H200;
import static dev.headway.simulation.fit.RecordedFixture.HOST;
import static dev.headway.simulation.fit.RecordedFixture.PASS;
import static dev.headway.simulation.fit.RecordedFixture.designedRun;
import static dev.headway.simulation.fit.RecordedFixture.pass;
import static dev.headway.simulation.fit.RecordedFixture.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.hardware.GpuSpec;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps made with known coefficients give them back. */
class StepTimeFitTest {

  private static StepTimeFit fit(StepTimeForm form, RecordedRun... runs) {
    return StepTimeFit.of(List.of(runs), form, 0.7);
  }

  /**
   * One per cent of noise leaves a constant beside terms that hardly vary open by more than one per
   * cent, whoever fits: such coefficients must be within what the fit itself says of their errors.
   */
  @Test
  void shouldGiveCoefficientsBackWithinOnePercentOrTheirStandardErrors() {
    final StepTimeFit fit = fit(StepTimeForm.PHYSICS, run(2_000, 0.01, 3));

    assertThat(fit.parts())
        .extracting(FittedPart::part)
        .containsExactly(StepPart.FORWARD, StepPart.HOST);
    int withinOnePercent = 0;
    for (Found found : compared(fit)) {
      assertThat(found.error())
          .as("%s, standard error %s", found.name(), found.standardError())
          .isLessThan(Math.max(0.01, 3 * found.standardError()));
      withinOnePercent += found.error() < 0.01 ? 1 : 0;
    }
    assertThat(withinOnePercent).as("of 10").isGreaterThanOrEqualTo(8);
    assertThat(fit.held().all().rows()).as("three in ten of each kind").isBetween(570, 600);
    assertThat(fit.held().all().meanError()).as("the noise is 0.8 %").isLessThan(0.0085);
    assertThat(fit.held().all().bias()).isCloseTo(0, within(0.002));
    assertThat(fit.held().all().r2()).isGreaterThan(0.995);
    assertThat(fit.held().all().autocorrelation()).isCloseTo(0, within(0.1));
    assertThat(fit.isCorrected()).as("nothing is left over").isFalse();
    assertThat(fit.held().byRegime()).containsKeys(Regime.DECODE, Regime.MIXED);
    final ErrorBand band = fit.on(PASS, H100, null).band(Regime.DECODE);
    assertThat(band.low()).isBetween(0.97, 0.99);
    assertThat(band.high()).isBetween(1.01, 1.03);
  }

  /** The recovery that a load made for learning allows; at random loads the worst is 4 % off. */
  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15})
  void shouldGiveCoefficientsBackFromALoadMadeForLearning(long seed) {
    final List<Found> found = compared(fit(StepTimeForm.PHYSICS, designedRun(2_000, 0.01, seed)));

    assertThat(found)
        .as("seed=%d", seed)
        .allSatisfy(
            each ->
                assertThat(each.error())
                    .as(each.name())
                    .isLessThan(Math.max(0.01, 3 * each.standardError()))
                    .isLessThan(0.02));
    assertThat(found.stream().filter(each -> each.error() < 0.01).count())
        .as("of 10 within one per cent, seed=%d", seed)
        .isGreaterThanOrEqualTo(8);
  }

  @Test
  void shouldGiveEveryCoefficientBackWithoutNoise() {
    for (Found found : compared(fit(StepTimeForm.PHYSICS, run(2_000, 0, 3)))) {
      assertThat(found.error()).as(found.name()).isLessThan(0.005);
    }
  }

  /** Multiplications that take tokens by 64: what is beyond a multiple takes twice as much more. */
  @Test
  void shouldLearnWhatTokensBeyondTilesTake() {
    final GpuSpec tiled =
        new GpuSpec(
            "tiled",
            H100.flops(),
            H100.memoryBytes(),
            H100.memoryBytesPerSecond(),
            H100.linkBytesPerSecond(),
            64,
            "made up");
    final double[] truth = FORWARD.clone();
    truth[ScaledOperators.index(OperatorKind.BEYOND_TILES)] = 2;
    final FittedStepTime forward = RecordedFixture.model(StepPart.FORWARD, truth, PASS, tiled);
    final RecordedSteps steps = new RecordedSteps("tiled");
    final Random random = new Random(6);
    for (int i = 0; i < 1_000; i++) {
      final StepFeatures step = RecordedFixture.draw(random);
      steps.add(step, forward.stepNs(step), -1, i);
    }

    final StepTimeFit aware = fit(StepTimeForm.PHYSICS, new RecordedRun(steps, PASS, tiled, null));
    final StepTimeFit unaware = fit(StepTimeForm.PHYSICS, new RecordedRun(steps, PASS, H100, null));

    final Coefficient beyond =
        aware.parts().getFirst().coefficients().stream()
            .filter(each -> each.feature().name().equals("beyond_tiles"))
            .findAny()
            .orElseThrow();
    assertThat(beyond.value()).isCloseTo(2, within(0.02));
    assertThat(aware.held().all().meanError()).isLessThan(0.001);
    assertThat(unaware.held().all().meanError()).isGreaterThan(0.01);
  }

  /** A coefficient against the truth; both errors are relative to it. */
  private record Found(String name, double error, double standardError) {}

  /** All coefficients but those of experts and all-reduces, which one device does not have. */
  private static List<Found> compared(StepTimeFit fit) {
    final double[][] truths = {FORWARD, HOST};
    final List<Found> result = new ArrayList<>();
    for (int part = 0; part < 2; part++) {
      int index = 0;
      for (Coefficient each : fit.parts().get(part).coefficients()) {
        final double truth = truths[part][index++];
        if (each.status() != Status.UNSEEN) {
          final double error = Math.abs(each.value() / truth - 1);
          result.add(new Found(each.feature().name(), error, each.standardError() / truth));
        }
      }
    }
    assertThat(result).hasSize(10);
    return result;
  }

  @ParameterizedTest
  @EnumSource(StepTimeForm.class)
  void shouldPredictLaterStepsInEveryForm(StepTimeForm form) {
    final StepTimeFit fit = fit(form, run(2_000, 0.01, 5));

    assertThat(fit.held().all().meanError()).isLessThan(form == StepTimeForm.PHYSICS ? 0.01 : 0.12);
    assertThat(fit.tuning(StepPart.FORWARD).error().meanError()).isLessThan(0.12);
    assertThat(fit.parts().getFirst().conditionNumber()).isGreaterThan(1);
  }

  @Test
  void shouldFitTheWholeStepWhereTheForwardPassWasNotTimed() {
    final RecordedRun timed = run(500, 0.01, 8);
    final RecordedSteps whole = new RecordedSteps("whole");
    final StepFeatures step = new StepFeatures();
    for (int row = 0; row < timed.steps().size(); row++) {
      timed.steps().features(row, step);
      whole.add(step, timed.steps().stepNs(row), -1, row);
    }

    final StepTimeFit fit = fit(StepTimeForm.PHYSICS, new RecordedRun(whole, PASS, H100, null));

    assertThat(fit.parts()).extracting(FittedPart::part).containsExactly(StepPart.STEP);
    assertThat(fit.held().all().meanError()).isLessThan(0.015);
  }

  @Test
  void shouldNeverBeFasterThanTheDevice() {
    final RecordedSteps impossible = new RecordedSteps("impossible");
    final Random random = new Random(5);
    final FittedStepTime peak =
        RecordedFixture.model(
            StepPart.FORWARD, new double[] {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}, PASS, H100);
    for (int i = 0; i < 300; i++) {
      final StepFeatures step = RecordedFixture.draw(random);
      impossible.add(step, peak.stepNs(step) / 3, -1, i);
    }

    final StepTimeFit fit =
        fit(StepTimeForm.PHYSICS, new RecordedRun(impossible, PASS, H100, null));

    for (FittedPart part : fit.parts()) {
      for (Coefficient coefficient : part.coefficients()) {
        assertThat(coefficient.value()).isGreaterThanOrEqualTo(coefficient.feature().lowest());
      }
      assertThat(part.coefficients().getFirst().status()).isEqualTo(Status.AT_BOUND);
    }
    assertThat(fit.held().all().bias()).as("predictions are too long, and it says so").isPositive();
  }

  @Test
  void shouldPredictAModelAndADeviceThatWereLeftOut() {
    final StepTimeFit fit =
        fit(
            StepTimeForm.PHYSICS,
            run("8B on H100", 600, 0.01, 1, PASS, H100),
            run("8B on H200", 600, 0.01, 2, PASS, H200),
            run("70B on H100", 600, 0.01, 3, pass("70B", 8_192, 80, 4), H100));

    assertThat(fit.leftOut()).containsOnlyKeys("8B on H100", "8B on H200", "70B on H100");
    assertThat(fit.leftOut().values())
        .allSatisfy(quality -> assertThat(quality.all().rows()).isEqualTo(600))
        .allSatisfy(quality -> assertThat(quality.all().meanError()).isLessThan(0.03));
  }

  @Test
  void shouldNotLearnFromAMachineThatStoodStill() {
    final RecordedRun sound = run(1_000, 0.01, 12);
    final RecordedSteps stalled = new RecordedSteps("stalled");
    final StepFeatures step = new StepFeatures();
    for (int row = 0; row < sound.steps().size(); row++) {
      sound.steps().features(row, step);
      final long stall = row % 50 == 7 ? 2_000_000_000 : 0;
      stalled.add(
          step, sound.steps().stepNs(row) + stall, sound.steps().forwardNs(row) + stall, row);
    }

    final StepTimeFit fit = fit(StepTimeForm.PHYSICS, new RecordedRun(stalled, PASS, H100, null));

    assertThat(fit.parts().getFirst().coefficients().getFirst().value())
        .isCloseTo(FORWARD[0], within(0.03));
    assertThat(fit.held().all().medianError()).isLessThan(0.02);
  }

  @Test
  void shouldCorrectWhatTheTermsCannotSay() {
    final RecordedRun sound = run(1_500, 0.01, 21);
    final RecordedSteps bent = new RecordedSteps("bent");
    final StepFeatures step = new StepFeatures();
    for (int row = 0; row < sound.steps().size(); row++) {
      sound.steps().features(row, step);
      final double factor = step.requests() > 100 ? 1.5 : 1;
      bent.add(step, Math.round(sound.steps().stepNs(row) * factor), -1, row);
    }

    final StepTimeFit fit = fit(StepTimeForm.PHYSICS, new RecordedRun(bent, PASS, H100, null));

    assertThat(fit.isCorrected()).isTrue();
    final FittedStepTime model = fit.on(PASS, H100, null);
    final StepFeatures huge = new StepFeatures();
    huge.addPrefill(100_000, 0);
    assertThat(model.isExtrapolating(huge)).isTrue();
    assertThat(model.extrapolatedShare()).isZero();
    model.stepNs(huge);
    assertThat(model.extrapolatedShare()).isOne();
  }

  @Test
  void shouldRefuseTooFewSteps() {
    assertThatThrownBy(() -> fit(StepTimeForm.PHYSICS, run(49, 0, 1)))
        .hasMessageContaining("a fit needs at least 50 steps: run=run, steps=49");
    assertThatThrownBy(() -> StepTimeFit.of(List.of(run(60, 0, 1)), StepTimeForm.PHYSICS, 1))
        .hasMessageContaining("the share to fit must be in (0, 1): share=1");
  }
}
