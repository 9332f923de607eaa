package dev.headway.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.cli.serve.ServeCommand;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;

/** What the CUDA executor says, as who typed {@code headway serve} can follow it. */
class OptionNamesTest {

  private static final CommandSpec SERVE = CommandSpec.forAnnotatedObject(new ServeCommand());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "lower maxModelLen or maxNumBatchedTokens, or raise memoryUtilization"
            + "|lower --max-model-len or --max-num-batched-tokens, or raise"
            + " --gpu-memory-utilization",
        "use=KV cache; lower kvBlocks, or free device memory"
            + "|use=KV cache; lower --num-blocks, or free device memory",
        "lower hostBlocks, or free host memory|lower --num-host-blocks, or free host memory",
        "name its library with the JVM option -Dheadway.cuda.library=PATH"
            + "|name its library with HEADWAY_OPTS=-Dheadway.cuda.library=PATH"
      })
  void shouldNameOptionsOfServe(String message, String written) {
    assertThat(OptionNames.asWritten(message, SERVE)).isEqualTo(written);
  }

  @Test
  void shouldLeaveTheRestOfATextAlone() {
    assertThat(OptionNames.ofTheJvm("vector, 3 threads (add the JVM option -Da=b; kvBlocks)"))
        .isEqualTo("vector, 3 threads (add HEADWAY_OPTS=-Da=b; kvBlocks)");
  }
}
