package dev.headway.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.probe.CacheResetEvent;
import dev.headway.api.probe.Probe;
import dev.headway.api.schedule.ResetScope;
import dev.headway.faultsim.simulation.FaultSimulation;
import dev.headway.faultsim.simulation.Feature;
import dev.headway.faultsim.simulation.Outcome;
import dev.headway.faultsim.simulation.Rule;
import dev.headway.faultsim.simulation.Scenario;
import dev.headway.faultsim.simulation.Shrinker;
import dev.headway.faultsim.simulation.Violation;
import org.junit.jupiter.api.Test;

/** A failure of which it is known what it needs: a reset that preempts, and nothing else. */
class ShrinkerTest {

  /** A probe that throws without being asked to breaks the books. */
  private static final class BrokenAtResets implements Probe {
    @Override
    public void onCacheReset(CacheResetEvent event) {
      if (event.scope() == ResetScope.PREEMPT_RUNNING) {
        throw new IllegalStateException("planted");
      }
    }
  }

  private final FaultSimulation simulation =
      new FaultSimulation(
          parts -> HeadwayEngines.builder(parts).probe(new BrokenAtResets()).build());

  @Test
  void shouldLeaveNothingButWhatTheFailureNeeds() {
    final Outcome failed = firstFailure();

    final Outcome least = new Shrinker(simulation).shrink(failed);

    final Violation violation = least.violation();
    assertThat(violation).as("%s", least).isNotNull();
    assertThat(violation.rule()).isEqualTo(Rule.BOOKS);
    final Scenario scenario = least.scenario();
    assertThat(scenario.turnedOn()) // bursts say before which steps callers do anything
        .as("%s", failed)
        .contains(Feature.RESETS)
        .isSubsetOf(Feature.RESETS, Feature.BURSTS);
    assertThat(scenario.operations().cardinality()).as("%s", failed).isEqualTo(1);
    assertThat(scenario.steps()).isEqualTo(scenario.operations().length());
    assertThat(simulation.run(scenario)).isEqualTo(least);
  }

  private Outcome firstFailure() {
    for (long seed = 1; ; seed++) {
      final Outcome outcome = simulation.run(Scenario.of(seed, 300));
      if (!outcome.held() && scenarioIsLong(outcome)) {
        return outcome;
      }
    }
  }

  private static boolean scenarioIsLong(Outcome outcome) {
    return outcome.scenario().turnedOn().size() > 10;
  }
}
