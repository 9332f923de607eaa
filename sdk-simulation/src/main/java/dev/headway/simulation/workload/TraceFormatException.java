package dev.headway.simulation.workload;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A trace file is not what it should be; the message names the file, the line and the column. */
public final class TraceFormatException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  TraceFormatException(String message) {
    super(message);
  }

  /**
   * Makes a refusal.
   *
   * @param message file, place and rule
   * @param cause what it follows from, or null
   */
  public TraceFormatException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
