package dev.headway.simulation.calibrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.simulation.calibrate.ExecutedSteps.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Steps of a process that has just started, told apart from what a simulation gets wrong. */
final class FirstStepsTest {

  private static final long MS = 1_000_000;

  @TempDir Path folder;

  private static Step step(
      long startMs, long durationMs, int prefill, int decode, @Nullable Boolean first) {
    return new Step(startMs * MS, (startMs + durationMs) * MS, prefill, decode, first);
  }

  /** Decodes of 5 ms, prefills of 20 ms; what is simulated knows no other. */
  private static ExecutedSteps simulated() {
    final List<Step> steps = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      steps.add(i % 10 == 0 ? step(10L * i, 20, 200, 4, null) : step(10L * i, 5, 0, 4, null));
    }
    return new ExecutedSteps(steps);
  }

  @Test
  void shouldCountWhatTheExecutorSaysWasMadeFirst() {
    final ExecutedSteps measured =
        new ExecutedSteps(
            List.of(
                step(0, 130, 200, 4, true), // 110 ms longer than usual
                step(130, 5, 0, 4, true), // made something, in no time
                step(135, 90, 0, 4, false), // a machine that stood still is not the first of a kind
                step(225, 5, 0, 4, false)));

    final FirstSteps first = FirstSteps.of(measured, simulated());

    assertThat(first.isGuessed()).isFalse();
    assertThat(first.count()).isOne();
    assertThat(first.excessNs()).isEqualTo(110 * MS);
  }

  @Test
  void shouldTakeTheFirstOfEachSizeWhereTheExecutorDoesNotSay() {
    final ExecutedSteps measured =
        new ExecutedSteps(
            List.of(
                step(0, 40, 196, 4, null), // 200 tokens: the first of (192, 208]
                step(40, 35, 200, 4, null), // 204: the same tile again, however long
                step(75, 33, 205, 4, null), // 209: another tile
                step(110, 17, 0, 4, null), // the first of 4 decodes
                step(130, 16, 0, 4, null)));

    final FirstSteps first = FirstSteps.of(measured, simulated());

    assertThat(first.isGuessed()).isTrue();
    assertThat(first.count()).isEqualTo(3);
    assertThat(first.excessNs()).isEqualTo((20 + 13 + 12) * MS);
  }

  @Test
  void shouldTakeTheExcessOutOfWhatWaitedForIt() {
    final ExecutedSteps measured = new ExecutedSteps(List.of(step(1_000, 120, 200, 4, true)));
    final FirstSteps first = FirstSteps.of(measured, simulated());
    final long arrivalOfAll = 900 * MS;

    assertThat(without(first, arrivalOfAll, 0, 300, 700))
        .as("in its time to the first token")
        .containsExactly(200.0, 400.0 / 10, 600.0);
    assertThat(without(first, arrivalOfAll, 0, 50, 700))
        .as("while it decoded")
        .containsExactly(50.0, 550.0 / 10, 600.0);
    assertThat(without(first, arrivalOfAll, 190, 60, 560))
        .as("it found the last 30 ms of the step under way")
        .containsExactly(30.0, 500.0 / 10, 530.0);
    assertThat(without(first, arrivalOfAll, 400, 60, 560)).containsExactly(60.0, 50.0, 560.0);
  }

  private static double[] without(
      FirstSteps first, long arrivalOfAllNs, long arrivalMs, long ttftMs, long endMs) {
    final TimedRequest request =
        new TimedRequest("q", arrivalMs * MS, 10, 11, ttftMs * MS, endMs * MS);
    final Map<LatencyMetric, LatencyComparison> without =
        first.without(List.of(new Calibration.Pair(request, request)), arrivalOfAllNs);
    final double[] measuredMs = new double[3];
    for (LatencyMetric metric : LatencyMetric.values()) {
      final LatencyComparison comparison = without.get(metric);
      assertThat(comparison).isNotNull();
      measuredMs[List.of(LatencyMetric.values()).indexOf(metric)] =
          comparison.measured().min() / MS;
      assertThat(comparison.simulated().min()).isEqualTo(metric.ns(request));
    }
    return measuredMs;
  }

  @Test
  void shouldSayNothingWithoutStepsOfBothRuns() {
    final ExecutedSteps none = new ExecutedSteps(List.of());

    assertThat(FirstSteps.of(none, simulated()).count()).isZero();
    assertThat(FirstSteps.of(simulated(), none).count()).as("nothing to compare with").isZero();
    assertThat(FirstSteps.of(simulated(), simulated()).count()).as("a warm process").isZero();
  }

  @Test
  void shouldReadTheStepsOfOneRun() throws IOException {
    final Path one = folder.resolve("one.csv");
    Files.writeString(
        one,
        """
        run,start_time,end_time,total_tokens,prefill_tokens,decode_tokens,first_of_kind
        0,10,30,7,5,2,true
        0,30,40,0,0,0,
        0,40,60,2,0,2,false
        0,60,,2,0,2,
        0,70,90,2,0,2,
        """);
    final Path two = folder.resolve("two.csv");
    Files.writeString(two, Files.readString(one) + "1,10,30,7,5,2,true\n");

    assertThat(ExecutedSteps.read(one).steps())
        .as("those with tokens that came to an end")
        .containsExactly(
            new Step(10, 30, 5, 2, true),
            new Step(40, 60, 0, 2, false),
            new Step(70, 90, 0, 2, null));
    assertThat(ExecutedSteps.read(two).steps()).as("two clocks").isEmpty();
  }

  @Test
  void shouldFindTheUsualTimeOfASizeThatWasNotSimulated() {
    final ExecutedSteps measured = new ExecutedSteps(List.of(step(0, 100, 260, 5, true)));

    assertThat((double) FirstSteps.of(measured, simulated()).excessNs())
        .isCloseTo(80.0 * MS, within(1.0));
    assertThat(
            FirstSteps.of(new ExecutedSteps(List.of(step(0, 100, 8_000, 5, true))), simulated())
                .count())
        .as("nothing like it was simulated: nothing is claimed")
        .isZero();
  }
}
