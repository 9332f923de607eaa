package dev.headway.executor.vector;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A main class in a JVM of its own, with this one's class path and other flags. */
public record ChildJvm(int exitCode, String output) {

  /** Standard output and error, in one. */
  public static ChildJvm run(List<String> flags, Class<?> main, String... arguments)
      throws IOException, InterruptedException {
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-Xmx256m", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(List.of("-cp", classPath(), main.getName()));
    command.addAll(List.of(arguments));
    final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    final String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException("the JVM did not end: output=" + output);
    }
    return new ChildJvm(process.exitValue(), output);
  }

  private static String classPath() {
    // surefire hands the class path over in a manifest and leaves the real one in this property
    final String real = System.getProperty("surefire.test.class.path");
    return real != null
        ? real
        : System.getProperty("java.class.path").replace(",", File.pathSeparator);
  }
}
