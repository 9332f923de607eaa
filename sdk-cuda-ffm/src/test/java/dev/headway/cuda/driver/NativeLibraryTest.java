package dev.headway.cuda.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.CudaUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user is told who has no driver, or may not load it. */
class NativeLibraryTest {
  @TempDir private Path temporary;

  @Test
  void shouldSayWhichLibraryIsMissingAndWhatToDo() {
    final NativeLibrary library = NativeLibrary.open("libcuda-of-nobody.so.1");

    assertThat(library.isLoaded()).isFalse();
    assertThat(CudaLibrary.problem(library))
        .isEqualTo(
            "CUDA is not available: cannot load libcuda-of-nobody.so.1: the system's loader does"
                + " not find it; install the NVIDIA driver, or name its library with"
                + " the JVM option -Dheadway.cuda.library=PATH");
  }

  @Test
  void shouldNameASymbolThatAnOldDriverDoesNotHave() {
    final NativeLibrary other = NativeLibrary.open("libm.so.6");

    assertThat(CudaLibrary.problem(other))
        .isEqualTo(
            "the CUDA driver must export cuInit, as drivers since 470 do: library=libm.so.6;"
                + " update the NVIDIA driver");
  }

  @Test
  void shouldGiveTheLoadersReasonForAFileThatIsNoLibrary() throws IOException {
    final Path file = Files.writeString(temporary.resolve("libcuda.so.1"), "no library");

    assertThat(NativeLibrary.open(file.toString()).failure())
        .startsWith("cannot load " + file + ": ")
        .containsAnyOf("file too short", "invalid ELF header");
  }

  @Test
  void shouldNameTheFlagWhereNativeAccessIsDenied() throws Exception {
    final Process java =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--illegal-native-access=deny",
                    "-cp",
                    System.getProperty("java.class.path"),
                    DeniedMain.class.getName()))
            .redirectErrorStream(true)
            .start();
    final String said = new String(java.getInputStream().readAllBytes());

    assertThat(said.strip())
        .isEqualTo(
            "CUDA is not available: native access must be allowed to load libcuda.so.1: add"
                + " --enable-native-access=ALL-UNNAMED to the java command (on the module path:"
                + " --enable-native-access=dev.headway.cuda)");
    assertThat(java.waitFor()).isEqualTo(3);
  }

  /** Asks for CUDA in a JVM of its own. */
  public static final class DeniedMain {
    /** Prints the message and ends with 3. */
    public static void main(String[] arguments) {
      try {
        CudaLibrary.require();
      } catch (CudaUnavailableException e) {
        System.out.println(e.getMessage());
        System.exit(3);
      }
    }
  }
}
