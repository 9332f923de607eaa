package dev.headway.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.testkit.faultsim.Coverage;
import dev.headway.testkit.faultsim.FaultSimulation;
import dev.headway.testkit.faultsim.Outcome;
import dev.headway.testkit.faultsim.Scenario;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Seeds against the real engine; to replay one: {@code scripts/faultsim.sh --seed N}. */
class FaultSimTest {

  private static final long STEPS = Long.getLong("headway.faultsim.steps", 400_000);
  private static final int STEPS_OF_A_SEED = 1_000;

  /** A host tier stands behind one group of layers only. */
  private static final List<String> REFUSED_PAIRS =
      List.of(
          "HOST_TIER+SLIDING_WINDOW",
          "HOST_TIER+CHUNKED_LOCAL",
          "HOST_TIER+RECURRENT",
          "HOST_TIER+NO_FULL_ATTENTION",
          "HOST_TIER+MIXED_BLOCK_SIZES");

  @Test
  void shouldKeepEveryRuleInEverySeed() {
    final JournaledEngines engines = JournaledEngines.open();
    final FaultSimulation simulation = new FaultSimulation(engines);
    try (engines) {
      for (long seed = 1; simulation.coverage().steps() < STEPS; seed++) {
        final Outcome outcome = simulation.run(Scenario.of(seed, STEPS_OF_A_SEED));
        assertThat(outcome.violation())
            .as("%s, %s", outcome.scenario().arguments(), outcome.settings())
            .isNull();
      }
    }

    final Coverage reached = simulation.coverage();
    assertThat(engines.runs()).as("journals read").isGreaterThan(20);
    assertThat(engines.failures()).as("disks that failed").isGreaterThan(5);
    assertThat(reached.missingPairs()).as("%s", reached).isSubsetOf(REFUSED_PAIRS);
    assertThat(reached.missingWaits()).as("%s", reached).isEmpty();
    assertThat(reached.missingEnds()).as("%s", reached).isEmpty();
    assertThat(reached.missingRejections()).as("%s", reached).isEmpty();
    assertThat(reached.missingPreemptions()).as("%s", reached).isEmpty();
    assertThat(reached.missingFaults()).as("%s", reached).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
  void shouldDoTheSameAgain(long seed) {
    final FaultSimulation simulation = new FaultSimulation(new HeadwayEngines());
    final Outcome first = simulation.run(Scenario.of(seed, STEPS_OF_A_SEED));

    final Outcome again = simulation.runAgain(first);

    assertThat(again.violation()).as("seed=%d", seed).isNull();
    assertThat(first.digest()).hasSize(64);
  }

  /** Recurrent states and several look-ahead modules left no end for a chunk. */
  @ParameterizedTest
  @ValueSource(longs = {10_317, 10_755, 11_486, 16_302})
  void shouldComputePromptsWithStatesAndLookahead(long seed) {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(seed, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }

  /** Drafts that came with a token which a reset had made stale were scheduled. */
  @Test
  void shouldForgetDraftsBehindADiscardedToken() {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(14_234, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }

  /** An adapter of a running request that was not scheduled counted for nothing. */
  @ParameterizedTest
  @ValueSource(longs = {247, 767, 906, 948, 1_319})
  void shouldHaveNoMoreAdaptersInAStepThanAllowed(long seed) {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(seed, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }

  /** A step that the executor never got released the blocks of one that was given up. */
  @Test
  void shouldHoldBlocksBackUntilAStepIsOver() {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(26, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }

  /** Of the states that steps out had left only the last was given back. */
  @Test
  void shouldGiveEveryStateBack() {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(126, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }

  /** A request that filled the cache ended before the outputs that were due. */
  @ParameterizedTest
  @ValueSource(longs = {41, 518})
  void shouldWaitForOutputsBeforeTheCacheIsExhausted(long seed) {
    final Outcome outcome =
        new FaultSimulation(new HeadwayEngines()).run(Scenario.of(seed, STEPS_OF_A_SEED));

    assertThat(outcome.violation()).as("%s", outcome.settings()).isNull();
  }
}
