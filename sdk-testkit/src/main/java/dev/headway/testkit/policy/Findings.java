package dev.headway.testkit.policy;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Violations found so far, the first {@value #MOST} of each contract. */
final class Findings {

  private static final int MOST = 5;

  private final Set<String> violations = new LinkedHashSet<>();
  private final Map<String, Integer> counts = new HashMap<>();

  void add(String contract, long seed, String what) {
    if (counts.getOrDefault(contract, 0) < MOST
        && violations.add(contract + ": " + what + "; seed=" + seed)) {
      counts.merge(contract, 1, Integer::sum);
    }
  }

  List<String> all() {
    return List.copyOf(violations);
  }
}
