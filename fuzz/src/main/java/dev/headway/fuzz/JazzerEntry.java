package dev.headway.fuzz;

import org.jspecify.annotations.Nullable;

/** What Jazzer calls, in a JVM of its own, by name: feeds the target of {@link JazzerRun}. */
@SuppressWarnings("NonFinalStaticField") // Jazzer's entry is static
public final class JazzerEntry {

  static final String TARGET = "headway.fuzz.target";

  private static @Nullable ParserFuzz target;

  private JazzerEntry() {}

  /** Makes the target. */
  public static void fuzzerInitialize() throws ReflectiveOperationException {
    final var constructor = Class.forName(System.getProperty(TARGET)).getDeclaredConstructor();
    constructor.setAccessible(true);
    target = (ParserFuzz) constructor.newInstance();
  }

  /** Feeds it an input. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (target == null) {
      throw new IllegalStateException("fuzzerInitialize must be called first");
    }
    target.feed(input);
  }
}
