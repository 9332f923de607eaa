package dev.headway.faultsim.simulation;

import org.jspecify.annotations.Nullable;

/**
 * What a scenario came to.
 *
 * @param scenario what was run
 * @param violation the first rule that did not hold; null if all did
 * @param digest SHA-256 of everything that happened, in hexadecimal
 * @param settings what the seed has drawn for the engine, in words
 */
public record Outcome(
    Scenario scenario, @Nullable Violation violation, String digest, String settings) {

  /** Whether every rule held. */
  public boolean held() {
    return violation == null;
  }
}
