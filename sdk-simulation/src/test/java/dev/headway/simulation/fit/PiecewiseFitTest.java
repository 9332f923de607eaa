package dev.headway.simulation.fit;

import static dev.headway.simulation.fit.RecordedFixture.H100;
import static dev.headway.simulation.fit.RecordedFixture.H200;
import static dev.headway.simulation.fit.RecordedFixture.PASS;
import static dev.headway.simulation.fit.RecordedFixture.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A machine as the first GPU was: not what its operators take at their peaks. */
final class PiecewiseFitTest {

  private static final double MS = 1e6;

  /**
   * One part of the device walks the longest context of more than 16 decodes alone; 9 to 16 decodes
   * are multiplied by kernels that take three times as long as those for 17.
   */
  private static double machineNs(StepFeatures step) {
    final int rows = step.decodeRequests();
    final double products = rows > 8 && rows <= 16 && step.prefillTokens() == 0 ? 22 : 5;
    final double walk = rows == 0 ? 0 : step.longestDecodeContext() * Math.min(rows, 16) * 220;
    final double prefill = step.prefillTokens() * 0.025 + (step.prefillTokens() > 0 ? 2.5 : 0);
    return (products + 0.02 * rows + prefill) * MS + walk;
  }

  /**
   * A load that has up to so many decodes at once, rising and falling like requests come and go.
   */
  private static RecordedRun machine(int most, int steps, long seed) {
    final Random random = new Random(seed);
    final RecordedSteps recorded = new RecordedSteps("most " + most);
    long nowNs = 0;
    for (int i = 0; i < steps; i++) {
      final int decodes = (int) Math.round(most * Math.abs(Math.sin(i * 0.03)) * 0.9 + 0.5);
      final StepFeatures step = new StepFeatures();
      for (int decode = 0; decode < decodes; decode++) {
        step.addDecode(1, 50 + random.nextInt(decode == 0 ? 4_000 : 900));
      }
      if (random.nextInt(6) == 0) {
        step.addPrefill(20 + random.nextInt(1_500), 0);
      }
      step.addSampling(step.requests());
      if (step.requests() > 0) {
        final double forwardNs = machineNs(step) * (1 + 0.01 * random.nextGaussian());
        final double hostNs = (0.3 + 0.004 * step.requests()) * MS;
        recorded.add(step, Math.round(forwardNs + hostNs), Math.round(forwardNs), nowNs);
        nowNs += Math.round(forwardNs + hostNs);
      }
    }
    return new RecordedRun(recorded, PASS, H100, null);
  }

  private static StepTimeQuality onAnother(StepTimeFit fit, RecordedRun run) {
    return StepTimeQuality.of(List.of(RunRows.all(run)), fit::on);
  }

  @Test
  void shouldBendToAMachineThatPhysicsDoesNotKnow() {
    final RecordedRun recorded = machine(60, 1_500, 1);

    final StepTimeFit chosen = StepTimeFit.of(List.of(recorded), null, 0.7);
    final StepTimeFit physics = StepTimeFit.of(List.of(recorded), StepTimeForm.PHYSICS, 0.7);

    assertThat(chosen.form()).isEqualTo(StepTimeForm.PIECEWISE);
    assertThat(chosen.forms()).containsOnlyKeys(StepTimeForm.PHYSICS, StepTimeForm.PIECEWISE);
    assertThat(chosen.held().all().meanError()).as("held out").isLessThan(0.03);
    assertThat(physics.held().all().meanError()).as("of physics").isGreaterThan(0.1);
    final StepTimeQuality lower = onAnother(chosen, machine(7, 800, 2));
    assertThat(lower.all().meanError()).as("a lower load").isLessThan(0.05);
    assertThat(lower.all().bias()).isCloseTo(0, within(0.04));
  }

  @Test
  void shouldStayWithPhysicsWhereItIsTheTruth() {
    final StepTimeFit fit = StepTimeFit.of(List.of(run(1_500, 0.01, 7)), null, 0.7);

    assertThat(fit.form()).isEqualTo(StepTimeForm.PHYSICS);
    assertThat(fit.held().all().meanError()).isLessThan(0.01);
  }

  @Test
  void shouldSayHowFarNineInTenTimesAreOff() {
    final StepTimeFit fit = StepTimeFit.of(List.of(machine(60, 3_000, 3)), null, 0.7);

    assertThat(fit.held().inBand()).as("held out").isCloseTo(0.9, within(0.03));
    assertThat(onAnother(fit, machine(60, 3_000, 4)).inBand())
        .as("another day")
        .isCloseTo(0.9, within(0.03));
  }

  @Test
  void shouldWidenTheBandOutsideOfWhatItHasSeen() {
    final FittedStepTime model =
        StepTimeFit.of(List.of(machine(30, 1_500, 5)), null, 0.7).on(PASS, H100, null);

    final ErrorBand seen = model.band(decodes(20, 900));
    final ErrorBand twice = model.band(decodes(60, 900));
    final ErrorBand eightTimes = model.band(decodes(240, 900));

    assertThat(twice.low()).isLessThanOrEqualTo(seen.low());
    assertThat(twice.high()).isGreaterThanOrEqualTo(seen.high());
    assertThat(twice.high() / twice.low()).isGreaterThan(1.2 * seen.high() / seen.low());
    assertThat(eightTimes.high() / eightTimes.low()).isGreaterThan(twice.high() / twice.low());
    assertThat(model.isExtrapolating(decodes(20, 900))).isFalse();
    assertThat(model.isExtrapolating(decodes(60, 900))).isTrue();
  }

  private static StepFeatures decodes(int requests, int context) {
    final StepFeatures step = new StepFeatures();
    for (int i = 0; i < requests; i++) {
      step.addDecode(1, context);
    }
    step.addSampling(requests);
    return step;
  }

  @Test
  void shouldNeverTakeLessForMoreWorkWithinAClassNorLessThanTheDevice() {
    final long seed = 9;
    final FittedStepTime model =
        StepTimeFit.of(List.of(machine(60, 1_500, 6)), StepTimeForm.PIECEWISE, 0.7)
            .on(PASS, H100, null);
    final ForwardPassTime peak =
        new ForwardPassTime(PASS, new Roofline(H100, Shares.PEAK), HostTime.NONE);
    final Random random = new Random(seed);

    for (int i = 0; i < 2_000; i++) {
      final int rows = 1 + random.nextInt(300);
      final StepFeatures less = decodes(rows, 1 + random.nextInt(20_000));
      final StepFeatures more = new StepFeatures();
      more.copyFrom(less);
      more.addLongestDecodeContext(less.longestDecodeContext() + random.nextInt(9_000));
      final boolean hasPrefill = random.nextBoolean();
      if (hasPrefill) {
        less.addPrefill(1 + random.nextInt(3_000), random.nextInt(9_000));
        more.addPrefill(
            (int) less.prefillTokens() + random.nextInt(2_000),
            (int) less.prefillContextTokens() + random.nextInt(2_000));
      }
      assertThat(model.ns(more))
          .as("seed=%d, i=%d", seed, i)
          .isGreaterThanOrEqualTo(model.ns(less));
      assertThat(model.ns(less)).as("seed=%d, i=%d", seed, i).isGreaterThanOrEqualTo(peak.ns(less));
    }
  }

  /** A clock that runs slow, or a device of which the table knows too little. */
  @Test
  void shouldNotBelieveTimesThatTheDeviceCannotReach() {
    final ForwardPassTime peak =
        new ForwardPassTime(PASS, new Roofline(H100, Shares.PEAK), HostTime.NONE);
    final FittedStepTime model = fitted(peak::ns, 0.4);

    for (int rows : new int[] {1, 7, 30, 64}) {
      final StepFeatures step = decodes(rows, 300);
      assertThat(model.ns(step)).as("%d decodes", rows).isGreaterThanOrEqualTo(peak.ns(step));
    }
  }

  @Test
  void shouldNotTakeLessForALongerContextWhateverWasRecorded() {
    final FittedStepTime model = fitted(step -> 20 * MS - 3_000 * step.longestDecodeContext(), 1);

    for (int rows : new int[] {1, 7, 30, 64}) {
      final StepFeatures shorter = decodes(rows, 300);
      final StepFeatures longer = new StepFeatures();
      longer.copyFrom(shorter);
      longer.addLongestDecodeContext(3_000);
      assertThat(model.ns(longer)).as("%d decodes", rows).isGreaterThanOrEqualTo(model.ns(shorter));
    }
  }

  private static FittedStepTime fitted(ToDoubleFunction<StepFeatures> machineNs, double share) {
    final Random random = new Random(11);
    final RecordedSteps recorded = new RecordedSteps("strange");
    for (int i = 0; i < 600; i++) {
      final StepFeatures step = decodes(1 + random.nextInt(64), 50 + random.nextInt(500));
      step.addLongestDecodeContext(random.nextInt(4_000));
      final long forwardNs = Math.round(share * machineNs.applyAsDouble(step));
      recorded.add(step, forwardNs + 1_000, forwardNs, i);
    }
    final RecordedRun run = new RecordedRun(recorded, PASS, H100, null);
    return StepTimeFit.of(List.of(run), StepTimeForm.PIECEWISE, 0.7).on(PASS, H100, null);
  }

  /** The same steps, of which some take longer. */
  private static RecordedRun longer(RecordedRun run, StepChange change) {
    final RecordedSteps recorded = new RecordedSteps("longer");
    for (int row = 0; row < run.steps().size(); row++) {
      final StepFeatures step = new StepFeatures();
      run.steps().features(row, step);
      final long addedNs = change.ns(row, step);
      final long forwardNs = run.steps().forwardNs(row) + addedNs;
      recorded.add(step, run.steps().stepNs(row) + addedNs, forwardNs, run.steps().beginNs(row));
    }
    return new RecordedRun(recorded, PASS, H100, null);
  }

  /** What a step takes longer; may change it. */
  private interface StepChange {
    long ns(int row, StepFeatures step);
  }

  private static double sum(RecordedRun run, @Nullable FittedStepTime model, boolean withPrefill) {
    double sum = 0;
    final StepFeatures step = new StepFeatures();
    for (int row = 0; row < run.steps().size(); row++) {
      run.steps().features(row, step);
      if (step.prefillRequests() > 0 == withPrefill) {
        sum += model == null ? run.steps().stepNs(row) : model.ns(step);
      }
    }
    return sum;
  }

  @Test
  void shouldTakeAsLongAsMeasuredAllInAllWherePausesComeNowAndThen() {
    final RecordedRun pausing =
        longer(
            machine(60, 2_000, 12),
            (row, step) -> row % (step.prefillRequests() > 0 ? 5 : 15) == 0 ? 8_000_000 : 0);

    final FittedStepTime model =
        StepTimeFit.of(List.of(pausing), StepTimeForm.PIECEWISE, 0.7).on(PASS, H100, null);

    for (boolean withPrefill : new boolean[] {false, true}) {
      assertThat(sum(pausing, model, withPrefill) / sum(pausing, null, withPrefill))
          .as("with prefills: %s", withPrefill)
          .isCloseTo(1, within(0.015));
    }
  }

  @Test
  void shouldLearnWhatMovedBlocksTake() {
    final FittedStepTime pieces =
        StepTimeFit.of(List.of(moving(machine(40, 1_500, 13))), StepTimeForm.PIECEWISE, 0.7)
            .on(PASS, H100, null);
    final FittedStepTime physics =
        StepTimeFit.of(List.of(moving(run(1_500, 0, 13))), StepTimeForm.PHYSICS, 0.7)
            .on(PASS, H100, null);
    final StepFeatures still = decodes(20, 500);
    final StepFeatures loading = decodes(20, 500);
    loading.addTransfers(0, 100);
    final StepFeatures saving = decodes(20, 500);
    saving.addTransfers(50, 0);

    for (FittedStepTime model : List.of(pieces, physics)) {
      assertThat(model.ns(loading) - model.ns(still)).isCloseTo(5e6, within(5e5));
      assertThat(model.ns(saving) - model.ns(still)).isCloseTo(1e6, within(2e5));
      assertThat(model.isExtrapolating(loading)).isFalse();
    }
    final FittedStepTime unmoved =
        StepTimeFit.of(List.of(machine(40, 800, 14)), null, 0.7).on(PASS, H100, null);
    assertThat(unmoved.isExtrapolating(still)).isFalse();
    assertThat(unmoved.isExtrapolating(loading)).as("no block moved when it was fitted").isTrue();
  }

  /** Moves blocks in every fourth step, at 20 us for one that is saved and 50 us for one loaded. */
  private static RecordedRun moving(RecordedRun run) {
    final Random random = new Random(13);
    return longer(
        run,
        (row, step) -> {
          final int saved = row % 4 > 0 ? 0 : random.nextInt(60);
          final int loaded = row % 4 > 0 ? 0 : random.nextInt(200);
          step.addTransfers(saved, loaded);
          return 20_000L * saved + 50_000L * loaded;
        });
  }

  @Test
  void shouldRefusePiecesOfSeveralDevices() {
    final RecordedRun here = machine(20, 300, 1);
    final RecordedRun there = new RecordedRun(here.steps(), PASS, H200, null);

    assertThatThrownBy(() -> StepTimeFit.of(List.of(here, there), StepTimeForm.PIECEWISE, 0.7))
        .hasMessageContaining("--form piecewise is of one model on one device");
    assertThat(StepTimeFit.of(List.of(here, there), null, 0.7).form())
        .as("not tried")
        .isEqualTo(StepTimeForm.PHYSICS);
  }

  @Test
  void shouldHoldOutEveryKindOfStepAllOverARun() {
    final RecordedRun run = machine(60, 2_000, 8);

    final RunRows.Split split = RunRows.split(List.of(run), 0.7);

    final int[] held = split.held().getFirst().rows();
    assertThat(held.length + split.fitted().getFirst().size()).isEqualTo(run.steps().size());
    assertThat(held.length / (double) run.steps().size()).isCloseTo(0.3, within(0.02));
    for (int quarter = 0; quarter < 4; quarter++) {
      final int from = quarter * run.steps().size() / 4;
      final int to = (quarter + 1) * run.steps().size() / 4;
      final long rows =
          java.util.Arrays.stream(held).filter(row -> row >= from && row < to).count();
      assertThat(rows / (double) (to - from)).as("quarter %d", quarter).isBetween(0.15, 0.45);
    }
    final StepTimeFit fit = StepTimeFit.of(List.of(run), null, 0.7);
    assertThat(fit.held().byRegime().keySet())
        .as("kinds that are held out are kinds that are fitted")
        .isEqualTo(fit.trained().byRegime().keySet());
    assertThat(fit.held().byBatch().keySet()).isEqualTo(fit.trained().byBatch().keySet());
  }

  @Test
  void shouldMakeOneClassOfTooFewSteps() {
    final RecordedSteps steps = new RecordedSteps("few");
    for (int rows : new int[] {1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 6, 7, 9, 10, 12, 40, 41}) {
      steps.add(decodes(rows, 100), 1_000_000, -1, 0);
    }

    final RowClasses classes =
        RowClasses.of(List.of(RunRows.all(new RecordedRun(steps, PASS, H100, null))));

    assertThat(classes.upTo()).as("8 of 1; 8 of 2 to 12; 40 and 41 are two").hasSize(2);
    assertThat(classes.of(1)).isZero();
    assertThat(classes.of(2)).isOne();
    assertThat(classes.of(16)).isOne();
    assertThat(classes.of(4_000)).isOne();
  }
}
