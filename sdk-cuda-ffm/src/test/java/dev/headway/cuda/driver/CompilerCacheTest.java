package dev.headway.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The driver has a folder for what it compiles, also where there is no home. */
@OnCudaDriver
class CompilerCacheTest {
  @TempDir private Path temporary;

  @Test
  void shouldLeaveADriverAloneThatHasAFolder() throws IOException {
    final String home = temporary.toString();
    final Path cache = Files.createDirectories(temporary.resolve("other/.nv/ComputeCache"));

    assertThat(CompilerCache.hasOne(Map.of("HOME", home))).isTrue();
    assertThat(CompilerCache.hasOne(Map.of("CUDA_CACHE_PATH", "/nowhere"))).isTrue();
    assertThat(CompilerCache.hasOne(Map.of("CUDA_CACHE_DISABLE", "1"))).isTrue();
    assertThat(cache).isDirectory();
    assertThat(CompilerCache.hasOne(Map.of("HOME", home + "/other"))).isTrue();
  }

  @Test
  void shouldMissAFolderWithoutAHome() {
    assertThat(CompilerCache.hasOne(Map.of())).isFalse();
    assertThat(CompilerCache.hasOne(Map.of("HOME", ""))).isFalse();
    assertThat(CompilerCache.hasOne(Map.of("HOME", temporary + "/none"))).isFalse();
    assertThat(CompilerCache.hasOne(Map.of("CUDA_CACHE_DISABLE", "0"))).isFalse();
  }

  @Test
  void shouldTakeAFolderThatNoOtherUserCanWrite() throws IOException {
    final Path folder = CompilerCache.own(temporary);

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)))
        .isEqualTo("rwx------");
    assertThat(CompilerCache.own(temporary)).isEqualTo(folder); // the next process's
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
    assertThatThrownBy(() -> CompilerCache.own(temporary))
        .isInstanceOf(IOException.class)
        .hasMessage("must be a folder that its user alone can read and write: " + folder);
    Files.delete(folder);
    Files.createSymbolicLink(folder, Files.createDirectory(temporary.resolve("elsewhere")));
    assertThatThrownBy(() -> CompilerCache.own(temporary)).isInstanceOf(IOException.class);
  }

  /** In a process of its own, since an environment is a process's. */
  @Test
  @EmulatorOnly("a driver must be asked what it saw when it was initialised")
  void shouldNameItToTheDriverBeforeItIsLoaded() throws Exception {
    final ProcessBuilder java =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED",
                    "-D" + CudaLibrary.PROPERTY + "=" + CudaLibrary.library().name(),
                    "-Djava.io.tmpdir=" + temporary,
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                    "-cp",
                    System.getProperty("java.class.path"),
                    HomelessMain.class.getName()))
            .redirectErrorStream(true);
    java.environment().remove("HOME");
    java.environment().remove("CUDA_CACHE_PATH");

    final Process process = java.start();
    final String said = new String(process.getInputStream().readAllBytes());

    assertThat(process.waitFor()).as("%s", said).isZero();
    final Path folder = CompilerCache.own(temporary);
    assertThat(said.lines())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .endsWith(
                        "HOME cannot be written, so the driver keeps compiled kernels in "
                            + folder
                            + "; CUDA_CACHE_PATH names another folder"),
            line -> assertThat(line).isEqualTo("at cuInit: " + folder),
            line -> assertThat(line).isEqualTo("at cuInit: " + folder));
  }

  /** Initialises the driver twice. */
  public static final class HomelessMain {
    /** Prints what the driver saw. */
    public static void main(String[] arguments) {
      for (int i = 0; i < 2; i++) {
        InitCalls.cuInit(0);
        System.out.println("at cuInit: " + Emulator.cacheFolder());
      }
    }
  }
}
