package dev.headway.cuda.driver;

/** What a downcall can throw besides returning a result: nothing a caller could handle. */
final class Unexpected {
  private Unexpected() {}

  static RuntimeException thrown(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
