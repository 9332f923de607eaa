package dev.headway.scheduler.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of the library, as recorded by the build. */
final class HeadwayVersion {

  private HeadwayVersion() {}

  /** Returns the version, for example {@code 0.1.0}. */
  static String current() {
    final Properties properties = new Properties();
    try (InputStream in = HeadwayVersion.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        throw new IllegalStateException("version.properties is missing from the jar");
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
