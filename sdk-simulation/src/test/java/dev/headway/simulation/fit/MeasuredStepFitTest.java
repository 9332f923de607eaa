package dev.headway.simulation.fit;

import static dev.headway.simulation.fit.RecordedFixture.H100;
import static dev.headway.simulation.fit.RecordedFixture.PASS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.run.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasuredStepFitTest {

  private static final double[] FACTORS = {1.7, 1.35, 2.2, 1.6, 1.5, 1.8, 0};
  private static final EngineSettings ENGINE = MeasuredFixture.engine(128);

  @TempDir private Path folder;

  private MeasuredRun run(LatencyModel server, EngineSettings engine, double rate, int requests)
      throws IOException {
    final Path file = folder.resolve(rate + ".csv");
    return MeasuredRun.read(MeasuredFixture.measured(file, server, engine, rate, requests), engine);
  }

  private static MeasuredStepFit fit(ForwardPass pass, double share, MeasuredRun... runs) {
    return MeasuredStepFit.of(List.of(runs), pass, H100, null, share, simulations -> {});
  }

  private static double bias(LatencyMetric metric, MeasuredRun run, LatencyModel model) {
    return MeasuredQuality.of(
            metric,
            List.of(run),
            List.of(SimulatedLatencies.of(run, model)),
            List.of(IntStream.range(0, run.size()).toArray()))
        .bias();
  }

  private static FittedNumber number(MeasuredStepFit fit, String name) {
    return fit.numbers().stream()
        .filter(each -> each.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldPredictAnotherLoadFromLatenciesAlone() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 9_000_000);
    final MeasuredRun busy = run(server, ENGINE, 24, 120);
    final MeasuredRun calm = run(server, ENGINE, 5, 60);

    final MeasuredStepFit fit = fit(PASS, 1, busy);

    for (MeasuredRun run : List.of(busy, calm)) {
      assertThat(bias(LatencyMetric.TTFT, run, fit.model())).isCloseTo(0, within(0.06));
      assertThat(bias(LatencyMetric.TPOT, run, fit.model())).isCloseTo(0, within(0.05));
      assertThat(bias(LatencyMetric.E2E, run, fit.model())).isCloseTo(0, within(0.05));
    }
    assertThat(number(fit, "mat_muls").value()).isCloseTo(1.7, within(0.25));
    assertThat(number(fit, "arrival_to_queue").value()).isCloseTo(9e6, within(2.5e6));
    assertThat(number(fit, "arrival_to_queue").low()).isLessThan(9e6);
    assertThat(number(fit, "arrival_to_queue").high()).isGreaterThan(9e6);
  }

  /** Five devices' worth of load on one: what is off by some percent is off by the whole queue. */
  @Test
  void shouldFindTheCapacityOfServersThatQueue() throws IOException {
    final ForwardPass pass = RecordedFixture.pass("70B", 8_192, 80, 4);
    final EngineSettings engine = MeasuredFixture.engine(16);
    final LatencyModel server =
        MeasuredFixture.server(pass, FACTORS, 9_000_000, 100_000, 9_000_000);
    final MeasuredRun over = run(server, engine, 14, 120);
    final MeasuredRun calm = run(server, engine, 4, 60);

    final MeasuredStepFit fit = fit(pass, 0.6, over);

    assertThat(fit.held(LatencyMetric.TTFT).measuredNs()).isGreaterThan(1e9);
    assertThat(fit.held(LatencyMetric.TTFT).bias()).isCloseTo(0, within(0.05));
    assertThat(fit.held(LatencyMetric.E2E).bias()).isCloseTo(0, within(0.05));
    assertThat(bias(LatencyMetric.TPOT, calm, fit.model())).isCloseTo(0, within(0.08));
  }

  @Test
  void shouldSayWhatTheLoadDoesNotTell() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 0);
    final MeasuredStepFit fit = fit(PASS, 1, run(server, ENGINE, 0.5, 40));

    assertThat(number(fit, "request").isTold()).as("one request at a time").isFalse();
    assertThat(number(fit, "request").value())
        .isCloseTo(number(fit, "request").prior(), within(2e4));
    assertThat(fit.confused())
        .as("a step's constant and its weights")
        .anyMatch(pair -> pair.one().equals("memory") && pair.other().equals("step"));
    assertThat(fit.confused())
        .filteredOn(pair -> pair.one().equals("memory") && pair.other().equals("step"))
        .allMatch(pair -> pair.correlation() < -0.8);
    assertThat(fit.numbers())
        .extracting(FittedNumber::name)
        .doesNotContain("all_reduce", "experts");
  }

  @Test
  void shouldBeNoFasterThanTheDevice() throws IOException {
    final double[] impossible = {0.7, 0.7, 0.7, 0.7, 1, 1, 0};
    final LatencyModel server = MeasuredFixture.server(PASS, impossible, 0, 0, 0);
    final MeasuredStepFit fit = fit(PASS, 1, run(server, ENGINE, 24, 60));

    assertThat(fit.numbers())
        .filteredOn(FittedNumber::isFactor)
        .allMatch(each -> each.value() >= 1);
    assertThat(number(fit, "memory").isAtBound()).isTrue();
    assertThat(number(fit, "step").value()).isZero();
  }

  @Test
  void shouldPassOverRequestsThatStoodStill() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 9_000_000);
    final Path file = folder.resolve("still.csv");
    MeasuredFixture.measured(file, server, ENGINE, 24, 100);
    final MeasuredRun whole = MeasuredRun.read(file, ENGINE);
    final List<String> rows = new ArrayList<>(Files.readAllLines(file));
    for (int i = 30; i < rows.size(); i += 18) {
      final String[] cells = rows.get(i).split(",", -1);
      cells[4] = Double.toString(30 + Double.parseDouble(cells[4]));
      cells[5] = Double.toString(30 + Double.parseDouble(cells[5]));
      rows.set(i, String.join(",", cells));
    }
    Files.write(file, rows);

    final MeasuredStepFit fit = fit(PASS, 1, MeasuredRun.read(file, ENGINE));

    assertThat(bias(LatencyMetric.TTFT, whole, fit.model())).isCloseTo(0, within(0.1));
    assertThat(bias(LatencyMetric.TPOT, whole, fit.model())).isCloseTo(0, within(0.03));
  }

  @Test
  void shouldWriteAModelThatSimulatesAlike() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 9_000_000);
    final MeasuredRun busy = run(server, ENGINE, 24, 50);
    final MeasuredRun calm = run(server, ENGINE, 5, 40);
    final MeasuredStepFit fit = fit(PASS, 0.7, busy, calm);
    final Path file = folder.resolve("model.json");
    PerformanceModelFile.write(file, fit);
    final FittedStepTime read = PerformanceModelFile.read(file, PASS, H100, null).stepTime();
    final Path again = folder.resolve("again.json");
    PerformanceModelFile.write(again, fit(PASS, 0.7, busy, calm));

    final StepFeatures step = new StepFeatures();
    step.addDecode(1, 700);
    step.addPrefill(300, 0);
    step.addSampling(2);
    assertThat(read.stepNs(step)).isEqualTo(fit.model().stepNs(step)).isPositive();
    assertThat(read.arrivalToQueueNs())
        .isEqualTo(Math.round(number(fit, "arrival_to_queue").value()))
        .isPositive();
    assertThat(read.isExtrapolating(step)).isFalse();
    assertThat(Files.readString(file)).isEqualTo(Files.readString(again));
  }

  /** What is never full need not be simulated. */
  @Test
  void shouldSimulateNoMoreOfACacheThanRequestsCanFill() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 0);
    final MeasuredRun run = run(server, ENGINE, 24, 30);
    final int needed =
        run.load().stream()
            .mapToInt(each -> (each.inputTokens() + each.outputTokens() + 15) / 16 + 1)
            .sum();

    assertThat(run.simulatedEngine().kvCache().numBlocks()).isEqualTo(needed + 2);
    assertThat(run.engine().kvCache().numBlocks()).isEqualTo(20_000);
    final MeasuredRun small =
        MeasuredRun.read(folder.resolve("24.0.csv"), MeasuredFixture.engine(128, 300));
    assertThat(small.simulatedEngine()).isSameAs(small.engine());
  }

  @Test
  void shouldSayThatTheLimitsAreNotTheServers() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 1_400_000, 40_000, 0);
    final Path file = folder.resolve("limits.csv");
    MeasuredFixture.measured(file, server, ENGINE, 24, 40);
    final MeasuredRun few = MeasuredRun.read(file, MeasuredFixture.engine(128, 20_000, 800));
    final MeasuredRun none = MeasuredRun.read(file, MeasuredFixture.engine(128, 20_000, 4));
    final long longer = few.load().stream().filter(each -> each.inputTokens() >= 800).count();

    assertThat(fit(PASS, 1, few).refused()).isEqualTo((int) longer).isPositive();
    assertThatThrownBy(() -> fit(PASS, 1, none))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("it refuses every measured request", "maxModelLen=4");
  }

  @Test
  void shouldRefuseFewRequests() throws IOException {
    final LatencyModel server = MeasuredFixture.server(PASS, FACTORS, 0, 0, 0);
    final MeasuredRun few = run(server, ENGINE, 5, 24);

    assertThatThrownBy(() -> fit(PASS, 0.5, few))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 20 measured requests")
        .hasMessageContaining("usable=8");
  }
}
