package dev.headway.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cli.HeadwayCli;
import dev.headway.executor.vector.ChildJvm;
import dev.headway.server.ExecutorChoice;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fastest executor that can run is chosen, and what is missing for a faster one is said. */
class ExecutorChoiceTest {

  private static final String NO_DEVICE = "-Dheadway.cuda.library=no-such-library.so";
  private static final String VECTORS = "--add-modules=jdk.incubator.vector";

  @Test
  void shouldChooseVectorsWithoutADevice() throws IOException, InterruptedException {
    final ChildJvm run = ChildJvm.run(List.of(NO_DEVICE, VECTORS), ChosenExecutor.class);

    assertThat(run.output())
        .contains("vector, 3 threads (CUDA is not available: cannot load no-such-library.so");
  }

  @Test
  void shouldChooseTheReferenceWithoutVectorsAndSayWhatIsMissing()
      throws IOException, InterruptedException {
    final ChildJvm run = ChildJvm.run(List.of(NO_DEVICE), ChosenExecutor.class);

    assertThat(run.output())
        .startsWith("reference, plain Java (CUDA is not available: cannot load no-such-library.so")
        .endsWith(
            "; the Vector API is not available: the JVM was started without --add-modules"
                + " jdk.incubator.vector)\n");
  }

  @Test
  void shouldSayWhereTheProgramTakesTheNameOfADriver() throws IOException, InterruptedException {
    final ChildJvm run =
        ChildJvm.run(List.of(NO_DEVICE), HeadwayCli.class, "serve", "--executor=cuda", "--port=0");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output())
        .startsWith("headway serve: CUDA is not available: cannot load no-such-library.so")
        .endsWith("or name its library with HEADWAY_OPTS=-Dheadway.cuda.library=PATH\n");
  }

  @Test
  void shouldSayWhatToDoWhenVectorsAreAskedForAndNotThere()
      throws IOException, InterruptedException {
    final ChildJvm run = ChildJvm.run(List.of(), HeadwayCli.class, "serve", "--executor=vector");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output())
        .isEqualTo(
            "headway serve: the Vector API is not available: the JVM was started without"
                + " --add-modules jdk.incubator.vector, which ./headway serve adds\n");
  }

  @Test
  void shouldTakeWhatIsAskedFor() {
    assertThat(ExecutorChoice.of(ExecutorChoice.Backend.REFERENCE, 2).describe())
        .isEqualTo("reference, plain Java");
    assertThat(ExecutorChoice.of(ExecutorChoice.Backend.VECTOR, 1).describe())
        .isEqualTo("vector, 1 thread");
    assertThatThrownBy(() -> ExecutorChoice.of(ExecutorChoice.Backend.VECTOR, 0))
        .hasMessage("--threads must be >= 1: --threads=0");
  }
}
