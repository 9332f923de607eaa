package dev.headway.executor.vector;

/** The Vector API cannot be used in this JVM; the message says why, and what to do. */
public final class VectorUnavailableException extends RuntimeException {

  private static final long serialVersionUID = 1;

  VectorUnavailableException(String why) {
    super("the Vector API is not available: " + why + ", which ./headway serve adds");
  }
}
