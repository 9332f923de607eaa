package dev.headway.testkit.policy;

import java.util.List;

/**
 * What the contract's checks have found.
 *
 * @param checks the checks that were run, by name
 * @param violations what was broken, each with the seed that shows it; empty if nothing was
 */
public record ContractReport(List<String> checks, List<String> violations) {

  /** Copies the lists. */
  public ContractReport {
    checks = List.copyOf(checks);
    violations = List.copyOf(violations);
  }

  /**
   * Fails unless the contract is kept.
   *
   * @throws AssertionError with all violations
   */
  public void verify() {
    if (!violations.isEmpty()) {
      throw new AssertionError(
          "a policy must keep its contract: checks="
              + checks
              + ", violations:\n  "
              + String.join("\n  ", violations));
    }
  }
}
