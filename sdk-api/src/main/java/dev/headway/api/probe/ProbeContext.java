package dev.headway.api.probe;

import java.util.Map;

/**
 * What a provider gets to make its probe.
 *
 * @param run what is known of the run
 * @param options the options given for this probe in the engine's builder, by name; copied
 */
public record ProbeContext(RunInfo run, Map<String, String> options) {

  /** Copies the options. */
  public ProbeContext {
    options = Map.copyOf(options);
  }
}
