package dev.headway.api.probe;

import java.util.List;
import java.util.Map;

/**
 * A probe that the environment of the process asks for.
 *
 * @param options for {@link ProbeProvider#create}; copied
 * @param switches what asked for it, as {@code NAME=value}, for people; copied
 */
public record ProbeRequest(Map<String, String> options, List<String> switches) {

  /** Copies both. */
  public ProbeRequest {
    options = Map.copyOf(options);
    switches = List.copyOf(switches);
  }
}
