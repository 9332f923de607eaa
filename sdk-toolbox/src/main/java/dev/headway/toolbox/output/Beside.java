package dev.headway.toolbox.output;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/** Makes scratch files and directories: unlike temporary ones they are as readable as any other. */
final class Beside {

  private static final int ATTEMPTS = 1_000;

  private Beside() {}

  /** What makes a file or a directory that is not there yet. */
  @FunctionalInterface
  interface Maker {
    Path make(Path path) throws IOException;
  }

  /**
   * Makes {@code .tmp-N.NAME} beside {@code target}, whose suffix it keeps, with the first N that
   * is free.
   */
  static Path make(Path target, Maker maker) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return maker.make(target.resolveSibling(".tmp-" + attempt + "." + target.getFileName()));
      } catch (FileAlreadyExistsException taken) {
        if (attempt == ATTEMPTS) {
          throw taken;
        }
      }
    }
  }
}
