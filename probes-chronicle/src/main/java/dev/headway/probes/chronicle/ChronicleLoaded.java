package dev.headway.probes.chronicle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.core.OS;

/**
 * Loads Chronicle without its announcements, unless a system property asks for them, and without a
 * trace on the disk: its class {@link OS} makes an empty directory {@code target} in {@code
 * java.io.tmpdir} unless one of the folders above the working directory has a {@code target} or
 * {@code build}.
 */
final class ChronicleLoaded {

  private static final String NO_ANNOUNCEMENT = "chronicle.announcer.disable";

  static {
    if (System.getProperty(NO_ANNOUNCEMENT) == null) { // it asks for an e-mail address, for example
      System.setProperty(NO_ANNOUNCEMENT, "true");
    }
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
