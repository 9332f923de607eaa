package dev.headway.faultsim;

import dev.headway.faultsim.simulation.Feature;
import dev.headway.faultsim.simulation.Scenario;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param first the first seed
 * @param last the last one
 * @param template the scenario of each seed, but for the seed
 */
record Options(long first, long last, Scenario template) {

  static Options of(FaultSim command) {
    long first = 1;
    long last = command.minutes != null ? Long.MAX_VALUE : 1;
    final String range = command.seeds.range;
    if (range != null) {
      final int dots = range.indexOf("..");
      if (dots < 0) {
        throw new IllegalArgumentException("--seeds must be A..B, such as 1..1000: " + range);
      }
      first = whole("--seeds", range.substring(0, dots));
      last = whole("--seeds", range.substring(dots + 2));
      if (last < first) {
        throw new IllegalArgumentException("--seeds must be A..B with A <= B: " + range);
      }
    } else if (command.seeds.seed != null) {
      first = command.seeds.seed;
      last = command.minutes != null ? Long.MAX_VALUE : first;
    }
    final Set<Feature> features = features(command);
    return new Options(
        first,
        last,
        new Scenario(
            first,
            command.steps,
            features,
            !command.isWhole,
            steps("--operations", command.operations),
            steps("--faults", command.faults)));
  }

  /** The scenario of a seed. */
  Scenario scenario(long seed) {
    return new Scenario(
        seed,
        template.steps(),
        template.features(),
        template.isSwarm(),
        template.operations(),
        template.faults());
  }

  static void printFeatures(PrintWriter out) {
    for (Feature.Kind kind : Feature.Kind.values()) {
      out.println(kind.name().toLowerCase(Locale.ROOT) + ":");
      for (Feature feature : Feature.values()) {
        if (feature.kind() == kind) {
          out.println("  " + feature);
        }
      }
    }
    out.flush();
  }

  private static Set<Feature> features(FaultSim command) {
    final Set<Feature> features =
        command.features == null
            ? EnumSet.allOf(Feature.class)
            : named("--features", command.features);
    if (command.without != null) {
      features.removeAll(named("--without", command.without));
    }
    return features;
  }

  private static Set<Feature> named(String option, String[] names) {
    final Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (String name : names) {
      if (name.equals("NONE")) {
        continue;
      }
      try {
        features.add(Feature.valueOf(name.strip().toUpperCase(Locale.ROOT)));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            option
                + " must name features: "
                + name
                + " is none; they are "
                + Arrays.toString(Feature.values()),
            e);
      }
    }
    return features;
  }

  /** Reads steps such as 3,17-20. */
  private static BitSet steps(String option, @Nullable String text) {
    final BitSet steps = new BitSet();
    if (text == null) {
      return steps;
    }
    for (String range : text.split(",", -1)) {
      final int dash = range.indexOf('-');
      final long from = whole(option, dash < 0 ? range : range.substring(0, dash));
      final long to = dash < 0 ? from : whole(option, range.substring(dash + 1));
      if (from < 0 || to < from || to > 100_000_000) {
        throw new IllegalArgumentException(option + " must be steps such as 3,17-20: " + text);
      }
      steps.set((int) from, (int) to + 1);
    }
    return steps;
  }

  private static long whole(String option, String text) {
    try {
      return Long.parseLong(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " must be whole numbers: '" + text + "'", e);
    }
  }
}
