package dev.headway.executor.vector;

import java.nio.file.Path;

/** Trained models that tests read. */
final class Stories {

  /** 260,000 parameters, in the repository. */
  static final Path SMALL =
      Path.of(
          "..", "..", "sdk-executor-host", "src", "test", "resources", "models", "stories260K-hf");

  private Stories() {}
}
