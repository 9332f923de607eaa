package dev.headway.executor.vector;

import java.util.Optional;

/** Whether this JVM can run a {@link VectorExecutor}. Any thread. */
public final class VectorSupport {

  static final String MODULE = "jdk.incubator.vector";

  private VectorSupport() {}

  /** Returns why not and what to do, or nothing if it can. */
  public static Optional<String> unavailableBecause() {
    return ModuleLayer.boot().findModule(MODULE).isPresent()
        ? Optional.empty()
        : Optional.of("the JVM was started without --add-modules " + MODULE);
  }
}
