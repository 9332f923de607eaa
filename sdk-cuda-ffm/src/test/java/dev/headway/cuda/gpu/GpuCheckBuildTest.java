package dev.headway.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code scripts/gpu-check.sh} up to the check itself, in a repository whose build leaves a class
 * path of one empty folder, with a java that does nothing.
 */
class GpuCheckBuildTest {
  private static final List<String> COPIED =
      List.of("gpu-check.sh", "gpu-check-run.sh", "gpu-check-torch.py");

  @TempDir private Path folder;

  @BeforeEach
  void layOut() throws IOException {
    final Path scripts = Files.createDirectories(folder.resolve("root/scripts"));
    for (String name : COPIED) {
      Files.copy(Path.of("../scripts", name), scripts.resolve(name));
    }
    Files.createDirectories(folder.resolve("tmp"));
    Files.createDirectories(folder.resolve("classes"));
    Files.createDirectories(folder.resolve("root/sdk-cuda-ffm/src/test/java"));
    Files.writeString(
        folder.resolve("root/sdk-cuda-ffm/src/test/java/OneTest.java"),
        "@OnCudaDriver\nclass OneTest {}\n");
    command(scripts.resolve("find-jdk.sh"), "echo " + folder.resolve("jdk"));
    command(
        folder.resolve("root/mvnw"),
        """
        reports=sdk-cuda-ffm/target/surefire-reports
        mkdir -p $reports
        echo '<property name="surefire.test.class.path" value="%s"/>' \
          >$reports/TEST-dev.headway.cuda.driver.NativeLibraryTest.xml
        """
            .formatted(folder.resolve("classes")));
    command(
        folder.resolve("jdk/bin/jlink"),
        """
        for output; do :; done
        mkdir -p "$output/bin"
        cp "$(dirname "$0")/java" "$output/bin/"
        """);
    command(
        folder.resolve("jdk/bin/java"),
        "case \"$*\" in *EmulatorBuild) echo /no/library ;; esac\n");
  }

  @Test
  void shouldKeepWhatADryRunLeaves() throws Exception {
    run("dry-run");

    assertThat(folder.resolve("tmp").toFile().list())
        .contains("headway-gpu-check-dry-run")
        .doesNotContain("headway-gpu-check-results")
        .noneMatch(name -> name.startsWith("tmp."));
    assertThat(folder.resolve("tmp/headway-gpu-check-dry-run/stages.csv")).isNotEmptyFile();
    assertThat(said())
        .startsWith("gpu-check: building the module and its tests")
        .contains("results:   " + folder.resolve("tmp/headway-gpu-check-dry-run"));
  }

  @Test
  void shouldRefuseAStageBeforeItBuilds() throws Exception {
    assertThat(run("run", folder.resolve("results").toString(), "step")).isEqualTo(2);

    assertThat(said()).contains("a stage is one of").doesNotContain("building");
    assertThat(folder.resolve("root/sdk-cuda-ffm/target")).doesNotExist();
  }

  @Test
  void shouldRefuseResultsThatCannotBeMadeBeforeItBuilds() throws Exception {
    final String below = Files.createFile(folder.resolve("file")).resolve("below").toString();

    assertThat(run("run", below)).isEqualTo(2);
    assertThat(run("dry-run", below)).isEqualTo(2);
    assertThat(folder.resolve("root/sdk-cuda-ffm/target")).doesNotExist();
  }

  private static void command(Path file, String lines) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "#!/bin/sh\n" + lines);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said.txt"));
  }

  private int run(String... arguments) throws Exception {
    final List<String> command = new ArrayList<>(List.of("sh"));
    command.add(folder.resolve("root/scripts/gpu-check.sh").toString());
    command.addAll(List.of(arguments));
    final ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said.txt").toFile());
    builder.environment().put("TMPDIR", folder.resolve("tmp").toString());
    builder.environment().put("HEADWAY_PYTHON", "no-python-here");
    builder.environment().remove("OUT");
    final Process process = builder.start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(said());
    }
    return process.exitValue();
  }
}
