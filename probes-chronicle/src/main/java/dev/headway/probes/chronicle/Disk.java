package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Asks the file system. */
final class Disk {

  private Disk() {}

  /**
   * Bytes free for {@code path}, or for the nearest directory above it that exists; -1 if unknown.
   */
  static long freeBytes(Path path) {
    for (Path at = path.toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at)) {
        try {
          return Files.getFileStore(at).getUsableSpace();
        } catch (IOException e) {
          return -1;
        }
      }
    }
    return -1;
  }
}
