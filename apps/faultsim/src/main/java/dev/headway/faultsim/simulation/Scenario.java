package dev.headway.faultsim.simulation;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;
import java.util.StringJoiner;

/**
 * What is simulated: a function of these figures alone.
 *
 * @param seed decides everything
 * @param steps calls of {@code Engine.step} with requests, operations and faults, >= 1; after them
 *     the engine ends in peace
 * @param features what the seed may turn on
 * @param isSwarm whether it turns on only a part of them
 * @param operations the steps before which callers do something; empty for all
 * @param faults the steps in which executors do something wrong; empty for all
 */
public record Scenario(
    long seed,
    int steps,
    Set<Feature> features,
    boolean isSwarm,
    BitSet operations,
    BitSet faults) {

  /** Validates the figures. */
  public Scenario {
    if (steps < 1) {
      throw new IllegalArgumentException("steps must be >= 1: steps=" + steps);
    }
    features = features.isEmpty() ? EnumSet.noneOf(Feature.class) : EnumSet.copyOf(features);
    operations = (BitSet) operations.clone();
    faults = (BitSet) faults.clone();
  }

  /** Everything that a seed turns on. */
  public static Scenario of(long seed, int steps) {
    return new Scenario(
        seed, steps, EnumSet.allOf(Feature.class), true, new BitSet(), new BitSet());
  }

  /** The same with fewer or more steps. */
  public Scenario withSteps(int steps) {
    return new Scenario(seed, steps, features, isSwarm, operations, faults);
  }

  /** The same with other features allowed. */
  public Scenario withFeatures(Set<Feature> features) {
    return new Scenario(seed, steps, features, isSwarm, operations, faults);
  }

  /** The same with operations before these steps only. */
  public Scenario withOperations(BitSet operations) {
    return new Scenario(seed, steps, features, isSwarm, operations, faults);
  }

  /** The same with faults in these steps only. */
  public Scenario withFaults(BitSet faults) {
    return new Scenario(seed, steps, features, isSwarm, operations, faults);
  }

  /** What is turned on. */
  public Set<Feature> turnedOn() {
    final Set<Feature> on = isSwarm ? Feature.drawnBy(seed) : EnumSet.allOf(Feature.class);
    on.retainAll(features);
    return on;
  }

  boolean operatesBefore(int step) {
    return operations.isEmpty() || operations.get(step);
  }

  boolean failsIn(int step) {
    return faults.isEmpty() || faults.get(step);
  }

  /** The options of the command line that run this scenario. */
  public String arguments() {
    final StringJoiner arguments = new StringJoiner(" ");
    arguments.add("--seed " + seed).add("--steps " + steps);
    if (!isSwarm) {
      arguments.add("--no-swarm");
    }
    final Set<Feature> without = EnumSet.allOf(Feature.class);
    without.removeAll(features);
    if (without.size() > features.size()) {
      arguments.add("--features " + names(turnedOn()));
    } else if (!without.isEmpty()) {
      arguments.add("--without " + names(without));
    }
    if (!operations.isEmpty()) {
      arguments.add("--operations " + ranges(operations));
    }
    if (!faults.isEmpty()) {
      arguments.add("--faults " + ranges(faults));
    }
    return arguments.toString();
  }

  private static String names(Set<Feature> features) {
    final StringJoiner names = new StringJoiner(",");
    features.forEach(feature -> names.add(feature.name()));
    return features.isEmpty() ? "NONE" : names.toString();
  }

  private static String ranges(BitSet steps) {
    final StringJoiner ranges = new StringJoiner(",");
    for (int from = steps.nextSetBit(0); from >= 0; ) {
      final int to = steps.nextClearBit(from);
      ranges.add(to - from == 1 ? "" + from : from + "-" + (to - 1));
      from = steps.nextSetBit(to);
    }
    return ranges.toString();
  }
}
