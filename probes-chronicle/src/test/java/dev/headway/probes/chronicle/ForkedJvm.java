package dev.headway.probes.chronicle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of the tests in a JVM of its own, with this JVM's class path and flags. */
final class ForkedJvm {

  private ForkedJvm() {}

  /**
   * Returns a builder that merges the outputs into {@code log}.
   *
   * @param prefix put before the java command, for example a tracer
   * @param flags put before this JVM's own flags for Chronicle
   */
  static ProcessBuilder of(
      Path log, List<String> prefix, List<String> flags, Class<?> main, String... arguments) {
    final List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(
        List.of(
            "-Xmx128m",
            "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
            "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classPath(),
            main.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
  }

  /** Whether a program is there to be run. */
  static boolean has(String program) {
    try {
      return new ProcessBuilder(program, "--version")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real = System.getProperty("surefire.test.class.path");
    return real != null
        ? real
        : System.getProperty("java.class.path").replace(",", File.pathSeparator);
  }
}
