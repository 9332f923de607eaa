package dev.headway.probes.csv.check;

/** A cell does not hold what its column promises. */
public final class MalformedCellException extends RuntimeException {

  private static final long serialVersionUID = 1;

  MalformedCellException(String message, Throwable cause) {
    super(message, cause);
  }
}
