package dev.headway.cuda.driver;

/** What a downcall can throw besides returning a result: nothing a caller could handle. */
public final class Unexpected {
  private Unexpected() {}

  /**
   * What to throw for it: itself, wrapped if it is checked.
   *
   * @throws Error if it is one
   */
  public static RuntimeException thrown(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
