package dev.headway.cli.serve;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.time.NanoClock;
import dev.headway.cli.command.Needs;
import dev.headway.cli.simulate.LinearLatency;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.scheduler.sim.SimulatedExecutor;
import dev.headway.server.ExecutorSizes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code --executor simulated} does instead of running a model, on the command line. */
final class SimulatedSteps {

  /** Longest context unless {@code --max-model-len} says less, as of {@code headway simulate}. */
  static final int MODEL_LEN = 131_072;

  private static final int USUAL_BLOCKS = 30_720;
  private static final long LLAMA_3_1_8B_KV_BYTES_PER_TOKEN = 131_072;

  @Needs(value = "--executor", is = "simulated")
  @Option(names = "--latency", paramLabel = "F,P,D,K", description = LinearLatency.DESCRIPTION)
  private @Nullable String latency;

  /** Opens the executor. */
  Executor open(int vocabularySize, NanoClock clock, ExecutorSizes sizes, long seed) {
    final Integer asked = sizes.numBlocks();
    final ExecutorShape shape =
        ExecutorShape.builder()
            .kvCache(
                KvCacheShape.builder()
                    .blockSize(sizes.blockSize())
                    .blocks(asked == null ? USUAL_BLOCKS : asked)
                    .build())
            .maxNumSeqs(sizes.maxNumSeqs())
            .vocabularySize(vocabularySize)
            .maxStepsInFlight(2)
            .hostBlocks(sizes.numHostBlocks())
            .build();
    final LinearLatencyModel steps =
        LinearLatency.parse(latency)
            .withTransfersOverPcie5(LLAMA_3_1_8B_KV_BYTES_PER_TOKEN * sizes.blockSize());
    return new SimulatedExecutor(shape, steps, clock, seed);
  }
}
