package dev.headway.simulation.sweep;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One point of a sweep. Immutable.
 *
 * @param number position in the plan, counted from 1
 * @param parameters value by name as the plan writes them, in the order of the plan's axes
 */
public record SweepCell(int number, Map<String, String> parameters) {

  /** Copies the parameters, and keeps their order. */
  public SweepCell {
    parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }
}
