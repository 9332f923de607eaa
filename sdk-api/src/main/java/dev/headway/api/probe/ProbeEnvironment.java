package dev.headway.api.probe;

import org.jspecify.annotations.Nullable;

/**
 * Where a probe provider looks for switches that are set outside the program. Any thread.
 *
 * <p>Names that are asked for are the provider's own; there is no list.
 */
public interface ProbeEnvironment {

  /** Returns an environment variable; null if it is not set. */
  @Nullable String variable(String name);

  /** Returns a system property; null if it is not set. */
  @Nullable String property(String name);

  /** The variables and properties of this process. */
  static ProbeEnvironment ofProcess() {
    return new ProbeEnvironment() {
      @Override
      public @Nullable String variable(String name) {
        return System.getenv(name);
      }

      @Override
      public @Nullable String property(String name) {
        return System.getProperty(name);
      }
    };
  }
}
