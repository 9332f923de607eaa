package dev.headway.cuda.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.TestModule;
import dev.headway.cuda.emulation.EmulatorBuild;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code scripts/gpu-check-run.sh} as it runs on a machine with a device, on the driver that looks
 * like a real one, with the smallest shapes, and a sanitizer that only says that it found nothing.
 * The classes of all tests run in {@link LikeARealDriverTest}; here one does.
 */
@Tag("slow") // .ci/run runs it when something of CUDA has changed
class GpuCheckScriptTest {
  private static final Path SCRIPT = Path.of("../scripts/gpu-check-run.sh");
  private static final int CHECK_SECONDS = 240;

  @TempDir private Path folder;
  private String driver = "";

  /** Variables that are not as usual. */
  private final Map<String, String> changes = new HashMap<>();

  @BeforeEach
  void unpack() throws IOException {
    final EmulatorBuild.Outcome outcome = EmulatorBuild.likeARealDriver();
    if (!"required".equals(System.getProperty("headway.cuda.emulator"))) {
      assumeThat(outcome.library()).as(outcome.problem()).isPresent();
    }
    driver = outcome.library().orElseThrow().toString();
    final Path classes = Files.createDirectories(folder.resolve("classes"));
    final Path libraries = Files.createDirectories(folder.resolve("lib"));
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      final Path path = Path.of(entry).toAbsolutePath();
      if (Files.isDirectory(path)) {
        Files.createSymbolicLink(classes.resolve("c" + number++), path);
      } else if (Files.exists(path)) {
        Files.createSymbolicLink(libraries.resolve(path.getFileName()), path);
      }
    }
    Files.copy(SCRIPT, folder.resolve("run.sh"));
    Files.writeString(folder.resolve("revision.txt"), "of a test\n");
    Files.writeString(
        folder.resolve("classes.txt"),
        "dev.headway.cuda.driver.DriverSymbolsTest\ndev.headway.cuda.kernel.StepKernelsTest\n");
    final Path sanitizer =
        Files.createDirectories(folder.resolve("bin")).resolve("compute-sanitizer");
    Files.writeString(
        sanitizer,
        """
        #!/bin/sh
        [ "$1 $3 $4" = "--tool --print-limit 5" ] || exit 9
        tool=$2
        shift 4
        "$@"
        case $tool in
          racecheck) echo '========= RACECHECK SUMMARY: 3 hazards displayed (3 errors, 0 warnings)' ;;
          *) echo '========= ERROR SUMMARY: 0 errors' ;;
        esac
        """);
    assertThat(sanitizer.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void shouldMeasureEveryGoalAndKeepItsTables() throws Exception {
    final Path results = folder.resolve("results");

    final int status = run(CHECK_SECONDS, results);

    final String said = Files.readString(folder.resolve("said.txt"));
    final List<String> stages = Files.readAllLines(results.resolve("stages.csv"));
    assertThat(stages.stream().map(line -> line.substring(0, line.lastIndexOf(','))))
        .as(said)
        .containsExactly(
            "report,0",
            "steps,0",
            "tests,0",
            "products,0",
            "kernels,0",
            "load,0",
            "torch,0",
            "sanitizer,1"); // the hazards
    assertThat(status).isEqualTo(1);
    final List<String> goals = Files.readAllLines(results.resolve("goals.csv"));
    assertThat(goals).filteredOn(line -> line.contains("not measured")).hasSize(1);
    assertThat(goals)
        .contains(
            "tests failed,all classes,0.000,<= 0.000,tests,met,,",
            "tests skipped without a reason,all classes,0.000,<= 0.000,tests,met,,",
            "memcheck,kernel classes,0.000,<= 0.000,errors,met,,",
            "racecheck,kernel classes,3.000,<= 0.000,errors,not met,,",
            "load ended,tiny 40/s,1.000,>= 1.000,of requests,met,,",
            "load rules broken,tiny 40/s,0.000,<= 0.000,rows,met,,");
    assertThat(folder.resolve("out").toFile().list())
        .containsExactlyInAnyOrder("goals.csv", "log.txt", "load.tar.gz", "results.tar.gz");

    // what an earlier call measured still counts, and what has no time left is not run
    assertThat(run(5, results, "steps", "load")).isZero();
    assertThat(Files.readAllLines(results.resolve("goals.csv"))).isEqualTo(goals);
    assertThat(Files.readString(folder.resolve("said.txt"))).contains("== load: no time left");
  }

  /** As a kernel may do it. */
  @OnCudaDriver
  static class TakesTheJvmDown {
    @Test
    void shouldNeverEnd() {
      Runtime.getRuntime().halt(134);
    }
  }

  /** As a kernel may do that writes where nobody allocated. */
  @OnCudaDriver
  static class LosesCuda {
    @Test
    void shouldFailForEver() {
      try (CudaDevice device = CudaDevice.open(0)) {
        final CudaStream stream = device.newStream();
        TestModule.add(device).pointer(0).i32(32).i32(1).launch(stream, 1, 1, 1, 32, 0);
        stream.synchronize();
      }
    }
  }

  @Test
  void shouldGoOnBehindAClassThatTakesTheJvmDown() throws Exception {
    Files.writeString(
        folder.resolve("classes.txt"),
        "dev.headway.cuda.driver.DriverSymbolsTest\n"
            + TakesTheJvmDown.class.getName()
            + "\n"
            + LosesCuda.class.getName()
            + "\ndev.headway.cuda.device.OwnershipTest\n");
    final Path results = folder.resolve("results");

    assertThat(run(CHECK_SECONDS, results, "tests")).isEqualTo(1);

    assertThat(Files.readAllLines(results.resolve("tests.csv")))
        .anyMatch(line -> line.startsWith("dev.headway.cuda.driver.DriverSymbolsTest,1,0,0,"))
        .contains(TakesTheJvmDown.class.getName() + ",1,1,0,0", "#lost")
        .anyMatch(line -> line.startsWith(LosesCuda.class.getName() + ",1,1,0,"))
        .anyMatch(line -> line.startsWith("dev.headway.cuda.device.OwnershipTest,8,0,2,"));
    assertThat(Files.readAllLines(results.resolve("goals.csv")))
        .contains("tests failed,all classes,2.000,<= 0.000,tests,not met,,");
  }

  @Test
  void shouldNameTheStagesThereAre() throws Exception {
    assertThat(run(CHECK_SECONDS, folder.resolve("results"), "step")).isEqualTo(2);
    assertThat(Files.readString(folder.resolve("said.txt")))
        .isEqualToIgnoringNewLines(
            "gpu-check: a stage is one of report steps tests products kernels load torch"
                + " sanitizer: stage=step");
  }

  @Test
  void shouldStopAtResultsThatCannotBeMade() throws Exception {
    final Path file = Files.createFile(folder.resolve("file"));

    assertThat(run(CHECK_SECONDS, file.resolve("results"), "report")).isEqualTo(2);
    assertThat(said())
        .isEqualToIgnoringNewLines(
            "gpu-check: the folder of results must be one that can be made and written: "
                + file.resolve("results")
                + "; name another as first argument, or as OUT");
  }

  @Test
  void shouldRefuseATimeThatIsNoNumber() throws Exception {
    changes.put("HEADWAY_CHECK_SECONDS", "abc");

    assertThat(run(CHECK_SECONDS, folder.resolve("results"), "report")).isEqualTo(2);
    assertThat(said())
        .isEqualToIgnoringNewLines(
            "gpu-check: HEADWAY_CHECK_SECONDS must be whole seconds, 0 to 99999:"
                + " HEADWAY_CHECK_SECONDS=abc");
  }

  @Test
  void shouldStopWhereThereIsNoDevice() throws Exception {
    changes.put("HEADWAY_CUDA_LIBRARY", folder.resolve("libcuda.so.1").toString());
    final Path results = folder.resolve("results");

    assertThat(run(CHECK_SECONDS, results)).isEqualTo(1);
    assertThat(said())
        .contains(
            "gpu-check: stopped, nothing can run without a device:",
            "no device: CUDA is not available: cannot load " + folder.resolve("libcuda.so.1"),
            "or name its library with HEADWAY_CUDA_LIBRARY=PATH")
        .doesNotContain("== report");
    assertThat(results.toFile().list()).containsExactly("log.txt");
    assertThat(folder.resolve("out").toFile().list())
        .containsExactlyInAnyOrder("log.txt", "results.tar.gz");
  }

  /** A newer library in a folder whose name comes first, then one that does not load. */
  @Test
  void shouldTakeTheNewestLibraryThatLoads() throws Exception {
    changes.put("HEADWAY_CUBLASLT", "");
    changes.put("HEADWAY_CHECK_ROOT", folder.resolve("root").toString());
    final Path older =
        Files.createDirectories(folder.resolve("root/usr/local/cuda-12.4/lib64"))
            .resolve("libcublasLt.so.12");
    final Path newer =
        Files.createDirectories(folder.resolve("root/opt/conda/lib")).resolve("libcublasLt.so.13");
    Files.createSymbolicLink(older, Path.of(driver));
    Files.createSymbolicLink(newer, Path.of(driver));

    assertThat(run(CHECK_SECONDS, folder.resolve("results"), "report")).isZero();
    assertThat(said()).contains("cuBLASLt:  " + newer + "\n");

    Files.delete(newer);
    Files.writeString(newer, "not a library");
    assertThat(run(CHECK_SECONDS, folder.resolve("results"), "report")).isZero();
    assertThat(said()).contains("cuBLASLt:  " + older + "\n");
  }

  /** As where the memory is too small for the model. */
  @Test
  void shouldSayWhyAStageBroke() throws Exception {
    final Path java = folder.resolve("java");
    Files.writeString(
        java,
        """
        #!/bin/sh
        case "$*" in
          *'DeviceCheck steps')
            echo 'Exception in thread "main" dev.headway.cuda.CudaException: memory must do' >&2
            echo '	at dev.headway' >&2
            exit 1
            ;;
        esac
        exec %s "$@"
        """
            .formatted(javaHome()));
    assertThat(java.toFile().setExecutable(true)).isTrue();
    changes.put("HEADWAY_JAVA", java.toString());

    assertThat(run(CHECK_SECONDS, folder.resolve("results"), "steps")).isEqualTo(1);
    assertThat(said())
        .contains(
            "gpu-check: steps: dev.headway.cuda.CudaException: memory must do\n== steps: status 1");
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("said.txt"));
  }

  private int run(int seconds, Path results, String... stages) throws Exception {
    final List<String> command = new java.util.ArrayList<>(List.of("sh"));
    command.add(folder.resolve("run.sh").toString());
    command.add(results.toString());
    command.addAll(List.of(stages));
    final ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("said.txt").toFile());
    builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    builder.environment().put("HEADWAY_JAVA", javaHome());
    builder.environment().put("HEADWAY_CUDA_LIBRARY", driver);
    builder.environment().put("HEADWAY_CUBLASLT", driver);
    builder.environment().put("HEADWAY_PYTHON", "no-python-here");
    builder.environment().put("OUT", Files.createDirectories(folder.resolve("out")).toString());
    builder.environment().put("HEADWAY_BENCH_TINY", "true");
    builder.environment().put("HEADWAY_CHECK_SECONDS", Integer.toString(seconds));
    builder.environment().putAll(changes);
    final Process process = builder.start();
    if (!process.waitFor(CHECK_SECONDS + 60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(
          new String(Files.readAllBytes(folder.resolve("said.txt")), StandardCharsets.UTF_8));
    }
    return process.exitValue();
  }

  private static String javaHome() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
