package dev.headway.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.driver.CudaLibrary;
import dev.headway.cuda.emulation.EmulatorBuild;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every class of {@link OnCudaDriver} as {@code scripts/gpu-check.sh} runs it on a device: on a
 * driver that nothing can be set on and that does what a real one does differently. All pass, and
 * what is skipped says why in words, or this fails.
 */
@Tag("slow") // .ci/run runs it when something of CUDA has changed
class LikeARealDriverTest {
  @TempDir private Path folder;

  @Test
  void shouldPassAndSkipNothingWithoutAReason() throws Exception {
    final EmulatorBuild.Outcome driver = EmulatorBuild.likeARealDriver();
    if (!"required".equals(System.getProperty("headway.cuda.emulator"))) {
      assumeThat(driver.library()).as(driver.problem()).isPresent();
    }
    final String library = driver.library().orElseThrow().toString();
    final List<String> classes = classes();

    final List<String> table = run(library, classes);

    table.forEach(System.out::println);
    assertThat(table.stream().filter(line -> !line.startsWith("#")).map(LikeARealDriverTest::name))
        .as("every class has a line, or the JVM was lost in the one after the last")
        .isEqualTo(classes);
    assertThat(table)
        .filteredOn(line -> !line.startsWith("#"))
        .allMatch(line -> line.matches("[\\w.]+,[1-9]\\d*,0,\\d+,\\d+"), "no test fails");
    assertThat(table)
        .filteredOn(line -> line.startsWith("#skip,"))
        .isNotEmpty()
        .allMatch(
            line -> line.contains(",EMULATOR_ONLY,") || line.contains(",OF_THE_CONTRACT,"),
            "a reason in words, and nothing is missing here");
  }

  private static String name(String line) {
    return line.substring(0, line.indexOf(','));
  }

  private List<String> run(String library, List<String> classes) throws Exception {
    final Path table = folder.resolve("tests.csv");
    final Path log = folder.resolve("log.txt");
    final List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-D" + CudaLibrary.PROPERTY + "=" + library,
                "-D" + BlasLt.PROPERTY + "=" + library,
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                "-cp",
                System.getProperty("java.class.path"),
                TestClassRun.class.getName()));
    command.addAll(classes);
    final int status =
        new ProcessBuilder(command)
            .redirectOutput(table.toFile())
            .redirectError(log.toFile())
            .start()
            .waitFor();
    assertThat(status).as(() -> content(log)).isZero();
    return Files.readAllLines(table);
  }

  private static String content(Path log) {
    try {
      final String text = Files.readString(log);
      return text.substring(Math.max(0, text.length() - 8_000));
    } catch (IOException e) {
      return String.valueOf(e);
    }
  }

  /** As {@code gpu-check.sh} finds them. */
  private static List<String> classes() throws IOException {
    final Path sources = Path.of("src/test/java");
    try (Stream<Path> files = Files.walk(sources)) {
      final List<String> classes = new ArrayList<>();
      for (Path file : files.filter(path -> path.toString().endsWith("Test.java")).toList()) {
        if (Files.readAllLines(file).contains("@OnCudaDriver")) {
          final String path = sources.relativize(file).toString();
          classes.add(path.substring(0, path.length() - ".java".length()).replace('/', '.'));
        }
      }
      return classes.stream().sorted().toList();
    }
  }
}
