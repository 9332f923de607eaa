package dev.headway.cuda.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.headway.cuda.emulation.EmulatorBuild;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The committed PTX and machine code are what the sources give. */
@Tag("slow") // .ci/run runs it when something of CUDA has changed
class KernelsCompiledAgainTest {

  @TempDir private Path temporary;

  @Test
  void shouldBeTheSameBytesWhenCompiledAgain() throws Exception {
    final Path version = temporary.resolve("version");
    EmulatorBuild.runs(List.of("nvcc", "--version"), version);
    assumeThat(version).exists();
    assumeThat(Files.readString(version)).as("nvcc 13.0.88").contains("V13.0.88");
    final Path again = temporary.resolve("again");
    final Path log = temporary.resolve("log");

    assertThat(EmulatorBuild.runs(List.of("../scripts/kernels.sh", again.toString()), log))
        .as("%s", Files.readString(log))
        .isTrue();

    final Path resources = Path.of("src/main/resources/dev/headway/cuda/kernel");
    for (KernelImage image : KernelImage.values()) {
      for (String name : image.files()) {
        assertThat(Files.mismatch(again.resolve(name), resources.resolve(name)))
            .as("first different byte of %s; -1 = none", name)
            .isEqualTo(-1);
      }
    }
  }
}
