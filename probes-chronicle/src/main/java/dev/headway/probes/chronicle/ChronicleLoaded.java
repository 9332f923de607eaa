package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.core.OS;

/**
 * Loads Chronicle without a trace on the disk: its class {@link OS} makes an empty directory {@code
 * target} in {@code java.io.tmpdir} unless one of the folders above the working directory has a
 * {@code target} or {@code build}.
 */
final class ChronicleLoaded {

  static {
    final Path made = Path.of(System.getProperty("java.io.tmpdir"), "target");
    final boolean wasThere = Files.exists(made);
    OS.getTarget();
    if (!wasThere) {
      delete(made);
    }
  }

  private ChronicleLoaded() {}

  /** Does so at the first call. */
  static void once() {}

  private static void delete(Path made) {
    try {
      Files.deleteIfExists(made);
    } catch (IOException inUse) {
      // another program has put something there meanwhile
    }
  }
}
