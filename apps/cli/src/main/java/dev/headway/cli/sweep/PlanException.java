package dev.headway.cli.sweep;

import java.io.Serial;

/** A plan makes no sense; the message begins with the file and the line. */
public final class PlanException extends IllegalArgumentException {
  @Serial private static final long serialVersionUID = 1L;

  PlanException(String name, int line, String message) {
    super(name + ":" + line + ": " + message);
  }
}
