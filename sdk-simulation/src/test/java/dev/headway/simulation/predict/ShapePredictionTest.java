package dev.headway.simulation.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.ArrivalDelay;
import org.junit.jupiter.api.Test;

/** Formulas worked out by hand, and what a simulation adds to them. */
class ShapePredictionTest {

  /** 1 ms a step, 10 µs per prompt token, 100 µs per decode, 1 µs per token of KV afterwards. */
  private static final LinearLatencyModel LATENCY =
      new LinearLatencyModel(1_000_000, 10_000, 100_000, 1_000);

  private static EngineSettings engine() {
    return new EngineSettings(
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(64)
                    .maxNumBatchedTokens(2_048)
                    .maxModelLen(8_192)
                    .build())
            .build(),
        KvCacheShape.builder().blockSize(16).blocks(4_096).build(),
        LATENCY,
        1);
  }

  @Test
  void shouldWorkTheFormulasOut() {
    final ShapeFormulas alone = ShapeFormulas.of(new RequestShape(200, 11, 1), LATENCY, 2_048);

    assertThat(alone.alphaNs()).isZero();
    assertThat(alone.prefillNs()).isEqualTo(1_000_000 + 200 * 10_000 + 200 * 1_000);
    assertThat(alone.itlNs()).isEqualTo(1_000_000 + 100_000 + 206 * 1_000);
    assertThat(alone.e2eNs()).isEqualTo(alone.ttftNs() + 10 * alone.itlNs());
  }

  @Test
  void shouldPrefillInChunksBesideTheOthers() {
    final ShapeFormulas busy = ShapeFormulas.of(new RequestShape(200, 10, 5), LATENCY, 104);

    // 100 tokens beside four decodes, twice; the second chunk reads the first
    assertThat(busy.prefillNs())
        .isEqualTo(2 * (1_000_000 + 100 * 10_000 + 4 * 100_000 + 4 * 206_000) + 100_000 + 200_000);
    assertThat(busy.itlNs()).isEqualTo(1_000_000 + 5 * 100_000 + 5 * 206_000);
    assertThat(busy.alphaNs()).isEqualTo(busy.itlNs() / 2);
  }

  @Test
  void shouldSimulateOneRequestAtATimeAsTheFormulasSay() {
    final RequestShape shape = new RequestShape(200, 11, 1);
    final ShapeFormulas formulas = ShapeFormulas.of(shape, LATENCY, 2_048);

    final ShapeSimulation simulated = ShapeSimulation.run(shape, engine());

    assertThat(simulated.ttft().count()).isEqualTo(200);
    assertThat(simulated.ttft().mean()).isEqualTo(formulas.ttftNs());
    assertThat(simulated.itl().mean()).isCloseTo(formulas.itlNs(), within(1_000.0));
    assertThat(simulated.e2e().mean()).isCloseTo(formulas.e2eNs(), within(10_000.0));
  }

  @Test
  void shouldAddTheWayToTheQueueToTheFirstToken() {
    final RequestShape shape = new RequestShape(200, 11, 1);
    final Delayed delayed = new Delayed(4_000_000);

    final ShapeFormulas formulas = ShapeFormulas.of(shape, delayed, 2_048);
    final ShapeSimulation simulated = ShapeSimulation.run(shape, engine().withLatency(delayed));

    assertThat(formulas.alphaNs()).isEqualTo(4_000_000);
    assertThat(formulas.prefillNs()).isEqualTo(1_000_000 + 200 * 10_000 + 200 * 1_000);
    assertThat(simulated.ttft().mean()).isEqualTo(formulas.ttftNs());
    assertThat(simulated.itl().mean()).isCloseTo(formulas.itlNs(), within(1_000.0));
    assertThat(simulated.e2e().mean()).isCloseTo(formulas.e2eNs(), within(10_000.0));
  }

  private record Delayed(long arrivalToQueueNs) implements LatencyModel, ArrivalDelay {
    @Override
    public long stepNs(StepFeatures step) {
      return LATENCY.stepNs(step);
    }
  }

  @Test
  void shouldHaveThePrefillsOfOthersInDecodes() {
    final RequestShape shape = new RequestShape(1_000, 100, 8);
    final ShapeFormulas formulas = ShapeFormulas.of(shape, LATENCY, 2_048);

    final ShapeSimulation simulated = ShapeSimulation.run(shape, engine());

    assertThat(simulated.itl().quantile(0.5)).isCloseTo(formulas.itlNs(), within(500_000.0));
    assertThat(simulated.itl().mean()).isGreaterThan(1.05 * formulas.itlNs());
    assertThat(simulated.ttft().quantile(0.5))
        .as("clients do not send all at once")
        .isLessThan(1.5 * formulas.ttftNs());
  }

  @Test
  void shouldNameWhatMustHold() {
    assertThatThrownBy(() -> new RequestShape(1, 0, 1))
        .hasMessageContaining("must be >= 1: input-tokens=1, output-tokens=0, concurrency=1");
    assertThatThrownBy(() -> ShapeFormulas.of(new RequestShape(1, 1, 9), LATENCY, 8))
        .hasMessageContaining("max-num-batched-tokens must be above the concurrency");
  }
}
