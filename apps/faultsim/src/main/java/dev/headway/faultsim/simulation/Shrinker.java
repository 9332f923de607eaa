package dev.headway.faultsim.simulation;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Makes a failing scenario shorter as long as the same rule fails: fewer steps, features,
 * operations and faults. Every piece is left out alone or in halves (delta debugging; Zeller and
 * Hildebrandt, 2002); what is left out changes nothing of what stays.
 */
public final class Shrinker {

  private static final int MOST_RUNS = 2_000;
  private static final long LONGEST_NS = 60_000_000_000L;

  private final FaultSimulation simulation;
  private int runs;
  private long beginNs;

  /** Makes a shrinker that runs scenarios in {@code simulation}. */
  public Shrinker(FaultSimulation simulation) {
    this.simulation = simulation;
  }

  /**
   * Shrinks a failure, for a minute at most.
   *
   * @return the shortest one found; {@code failed} itself if nothing can be left out
   */
  public Outcome shrink(Outcome failed) {
    runs = 0;
    beginNs = System.nanoTime();
    Outcome least = failed;
    if (failed.violation() == null || failed.violation().rule() == Rule.SAME_AGAIN) {
      return failed;
    }
    for (String before = ""; hasTime() && !before.equals(least.scenario().arguments()); ) {
      before = least.scenario().arguments();
      least = fewerSteps(least);
      least = fewerFeatures(least);
      least = fewerOperations(least);
      least = fewerFaults(least);
    }
    return least;
  }

  private boolean hasTime() {
    return runs < MOST_RUNS && System.nanoTime() - beginNs < LONGEST_NS;
  }

  /** Runs a scenario; returns its outcome if it fails by the same rule, else {@code best}. */
  private Outcome better(Outcome best, Scenario scenario) {
    if (!hasTime()) {
      return best;
    }
    runs++;
    final Outcome tried = simulation.run(scenario);
    final Violation violation = tried.violation();
    final Violation known = best.violation();
    return violation != null && known != null && violation.rule() == known.rule() ? tried : best;
  }

  private Outcome fewerSteps(Outcome failed) {
    final Violation violation = failed.violation();
    Outcome least = failed;
    if (violation != null && violation.step() + 1 < failed.scenario().steps()) {
      least = better(least, failed.scenario().withSteps(violation.step() + 1));
    }
    int steps = least.scenario().steps();
    for (int less = steps / 2; less > 0; less /= 2) {
      final Outcome tried =
          steps > less ? better(least, least.scenario().withSteps(steps - less)) : least;
      least = tried;
      steps = least.scenario().steps();
    }
    return least;
  }

  private Outcome fewerFeatures(Outcome failed) {
    Outcome least = better(failed, failed.scenario().withFeatures(failed.scenario().turnedOn()));
    for (Feature feature : failed.scenario().turnedOn()) {
      final Set<Feature> fewer = EnumSet.copyOf(least.scenario().features());
      fewer.remove(feature);
      least = better(least, least.scenario().withFeatures(fewer));
    }
    return least;
  }

  private Outcome fewerOperations(Outcome failed) {
    return fewerOf(
        failed, failed.scenario().operations(), (scenario, set) -> scenario.withOperations(set));
  }

  private Outcome fewerFaults(Outcome failed) {
    return fewerOf(failed, failed.scenario().faults(), (scenario, set) -> scenario.withFaults(set));
  }

  /** Leaves out steps of a set, in ever smaller ranges; an empty set means all. */
  private Outcome fewerOf(Outcome failed, BitSet set, BiFunction<Scenario, BitSet, Scenario> with) {
    final int steps = failed.scenario().steps();
    final BitSet left = (BitSet) set.clone();
    if (left.isEmpty()) {
      left.set(0, steps);
    }
    Outcome least = failed;
    for (int size = Math.max(1, steps / 2); size >= 1; size /= 2) {
      for (int from = left.nextSetBit(0); from >= 0; from = left.nextSetBit(from + size)) {
        final BitSet fewer = (BitSet) left.clone();
        fewer.clear(from, from + size);
        if (!fewer.isEmpty()) {
          final Outcome tried = better(least, with.apply(least.scenario(), fewer));
          if (!tried.equals(least)) {
            least = tried;
            left.and(fewer);
          }
        }
      }
    }
    return least;
  }
}
