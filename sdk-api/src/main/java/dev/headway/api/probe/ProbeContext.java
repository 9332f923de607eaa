package dev.headway.api.probe;

import java.util.Map;

/**
 * Input to {@link ProbeProvider#create}.
 *
 * @param run description of the run
 * @param options the options given for this probe in the engine's builder, by name; copied
 */
public record ProbeContext(RunInfo run, Map<String, String> options) {

  /** Copies the options. */
  public ProbeContext {
    options = Map.copyOf(options);
  }
}
