package dev.headway.cuda.blas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cuda.driver.NativeLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where cuBLASLt is looked for, over a made-up file system. */
class LibrarySearchTest {
  private static final String V13 = "libcublasLt.so.13";
  private static final String V12 = "libcublasLt.so.12";

  @TempDir private Path root;

  private Path put(String folder, String name) throws IOException {
    final Path file = root.resolve(folder).resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, "no library");
  }

  private LibrarySearch search(String... environment) {
    return new LibrarySearch(
        root,
        environment.length == 0
            ? Map.of()
            : Map.of(environment[0], root.resolve(environment[1]).toString()));
  }

  @Test
  void shouldPreferTheToolkitThatTheEnvironmentNames() throws IOException {
    final Path other = put("usr/local/cuda-13.0/lib64", V13);
    final Path named = put("opt/nvidia/targets/x86_64-linux/lib", V12);

    assertThat(search("CUDA_HOME", "opt/nvidia").files()).containsExactly(named, other);
    assertThat(search("CUDA_PATH", "opt/nvidia").files()).containsExactly(named, other);
    assertThat(search().files()).containsExactly(other);
  }

  @Test
  void shouldFindTheNewestToolkitFirst() throws IOException {
    final Path old = put("usr/local/cuda-12.8/targets/x86_64-linux/lib", V12);
    final Path both12 = put("usr/local/cuda-13.1/targets/sbsa-linux/lib", V12);
    final Path both13 = put("usr/local/cuda-13.1/targets/sbsa-linux/lib", V13);

    assertThat(search().files()).containsExactly(both13, both12, old);
  }

  @Test
  void shouldFindTheWheelsOfPython() throws IOException {
    final Path system = put("usr/local/lib/python3.12/dist-packages/nvidia/cublas/lib", V12);
    final Path user = put("home/.local/lib/python3.13/site-packages/nvidia/cu13/lib", V13);
    final Path environment = put("venv/lib/python3.11/site-packages/nvidia/cublas/lib", V12);

    assertThat(search("HOME", "home").files()).containsExactly(user, system);
    assertThat(search("VIRTUAL_ENV", "venv").files()).containsExactly(environment, system);
    assertThat(search("CONDA_PREFIX", "nowhere").files()).containsExactly(system);
  }

  @Test
  void shouldSayWhereItLookedAndWhatDidNotLoad() throws IOException {
    final Path broken = put("usr/local/cuda/lib64", V13);

    final NativeLibrary library = search().open();

    assertThat(library.isLoaded()).isFalse();
    assertThat(library.failure())
        .startsWith(
            "none of libcublasLt.so.13, libcublasLt.so.12 was found by the system's loader, in"
                + " CUDA_HOME, CUDA_PATH, /usr/local/cuda* or Python's nvidia packages; cannot load "
                + broken);
  }
}
