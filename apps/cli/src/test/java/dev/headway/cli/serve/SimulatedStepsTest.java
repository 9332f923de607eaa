package dev.headway.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.Request;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.server.ExecutorSizes;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class SimulatedStepsTest {

  private static final ExecutorSizes SIZES = new ExecutorSizes(16, null, 0, 8, 64, 1_024, 0.9);

  @Test
  void shouldTakeTheTimeThatIsAskedFor() {
    final VirtualClock clock = new VirtualClock();
    final Executor executor = steps("--latency=5000000,1000,0,0").open(300, clock, SIZES, 1);
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(8).maxNumBatchedTokens(64).maxModelLen(1_024).build();
    try (Engine engine =
        HeadwayEngine.builder(executor)
            .config(SchedulerConfig.builder(limits).build())
            .clock(clock)
            .build()) {
      engine.submit(Request.builder("r", new int[100]).maxTokens(3).build(), TokenListener.NONE);
      while (engine.step()) {
        // on to the end
      }
    }

    // 64 and 36 tokens of the prompt, and two more tokens
    assertThat(clock.nanoTime()).isEqualTo(4 * 5_000_000 + 100 * 1_000);
    assertThat(executor.shape().kvCache().numBlocks()).isEqualTo(30_720);
    assertThat(executor.shape().vocabularySize()).isEqualTo(300);
  }

  @Test
  void shouldRefuseStepTimesThatAreNone() {
    assertThatThrownBy(() -> steps("--latency=1,2,3").open(300, new VirtualClock(), SIZES, 1))
        .hasMessage(
            "--latency must be four whole numbers of ns, fixed,prefill,decode,kv: --latency=1,2,3");
  }

  private static SimulatedSteps steps(String... options) {
    return CommandLine.populateCommand(new SimulatedSteps(), options);
  }
}
