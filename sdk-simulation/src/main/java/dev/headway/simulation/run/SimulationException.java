package dev.headway.simulation.run;

import java.io.Serial;

/** A run could not be brought to its end; the message says why and what to do. */
public final class SimulationException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** With what to do about it. */
  public SimulationException(String message) {
    super(message);
  }
}
