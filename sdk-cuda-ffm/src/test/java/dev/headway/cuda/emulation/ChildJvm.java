package dev.headway.cuda.emulation;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Runs a main class on the driver of the test in a process of its own, which it may lose. */
public final class ChildJvm {
  private ChildJvm() {}

  /** What it prints, and how it ends. */
  public record Ended(List<String> lines, int status) {}

  /** Runs it to its end. */
  public static Ended run(Class<?> main, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    final List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Dheadway.cuda.library=" + CudaLibrary.library().name(),
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"));
    final String blas = System.getProperty(BlasLt.PROPERTY);
    if (blas != null) {
      command.add("-D" + BlasLt.PROPERTY + "=" + blas);
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    final Process process = builder.start();
    final String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(said.lines().toList(), process.waitFor());
  }
}
